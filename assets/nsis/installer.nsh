# Every user may create folders in %ProgramData% and then owns them. So the installer, which runs as an administrator,
# creates the folder of the managed settings and restricts it: administrators and the system can write, users can read.
# It uses SIDs, because the account names depend on the language of Windows. /L does not follow a planted link.
!macro customInstall
  SetShellVarContext all
  CreateDirectory "$APPDATA\Sluice"
  nsExec::ExecToLog '"$SYSDIR\icacls.exe" "$APPDATA\Sluice" /L /setowner *S-1-5-32-544'
  Pop $0
  nsExec::ExecToLog '"$SYSDIR\icacls.exe" "$APPDATA\Sluice" /L /reset'
  Pop $0
  nsExec::ExecToLog '"$SYSDIR\icacls.exe" "$APPDATA\Sluice" /L /inheritance:r /grant:r "*S-1-5-32-544:(OI)(CI)F" "*S-1-5-18:(OI)(CI)F" "*S-1-5-32-545:(OI)(CI)RX"'
  Pop $0
  # Setup.exe /S /service: the agent starts at boot, without a signed-in user.
  ${GetParameters} $R0
  ClearErrors
  ${GetOptions} $R0 "/service" $R1
  ${IfNot} ${Errors}
    nsExec::ExecToLog '"$INSTDIR\resources\bin\sluice.cmd" service install'
    Pop $0
    # A silent roll-out must see that the service is missing.
    ${If} $0 != 0
      DetailPrint "sluice service install failed ($0)."
      SetErrorLevel 1
    ${EndIf}
  ${EndIf}
!macroend

# The task would start a program that is gone. An update keeps it. Data and settings stay.
!macro customUnInstall
  ${IfNot} ${isUpdated}
    nsExec::ExecToLog '"$SYSDIR\schtasks.exe" /End /TN Sluice'
    Pop $0
    nsExec::ExecToLog '"$SYSDIR\schtasks.exe" /Delete /TN Sluice /F'
    Pop $0
  ${EndIf}
!macroend
