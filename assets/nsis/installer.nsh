# Every user may make folders in %ProgramData%, and owns what he makes there. So the installer, which runs as an
# administrator, makes the folder of the managed settings first and closes it: administrators and the system write, users
# read. SIDs, because the names differ with the language of Windows. A link that somebody left there is not followed.
!macro customInstall
  SetShellVarContext all
  CreateDirectory "$APPDATA\Sluice"
  nsExec::ExecToLog '"$SYSDIR\icacls.exe" "$APPDATA\Sluice" /L /setowner *S-1-5-32-544'
  Pop $0
  nsExec::ExecToLog '"$SYSDIR\icacls.exe" "$APPDATA\Sluice" /L /reset'
  Pop $0
  nsExec::ExecToLog '"$SYSDIR\icacls.exe" "$APPDATA\Sluice" /L /inheritance:r /grant:r "*S-1-5-32-544:(OI)(CI)F" "*S-1-5-18:(OI)(CI)F" "*S-1-5-32-545:(OI)(CI)RX"'
  Pop $0
!macroend
