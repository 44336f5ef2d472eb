# The installer for Windows, for all users of the PC. scripts/building/make-nsis.mjs defines each ${NAME} that this file
# does not define itself.
#
#   Setup.exe /S [/service] [/startatlogin] [/settings=FILE] [/D=FOLDER]
#
# `sluice update install` adds /updater=PID with its own process ID.
#
# Exit codes: 0 everything succeeded, 1 the program is installed but a later step failed, 2 it is not installed.

Unicode true
Target amd64-unicode
RequestExecutionLevel admin
ManifestDPIAware true
SetCompressor ${COMPRESSOR}
SetDateSave on
CRCCheck force

!include MUI2.nsh
!include LogicLib.nsh
!include FileFunc.nsh
!include Sections.nsh

Name "${DISPLAY_NAME}"
OutFile "${OUT_FILE}"
InstallDir "$PROGRAMFILES64\Sluice"
InstallDirRegKey HKLM "${UNINSTALL_KEY}" "InstallLocation"
BrandingText "${DISPLAY_NAME} ${VERSION}"
VIProductVersion "${NUMBERS}.0"
VIAddVersionKey "ProductName" "${DISPLAY_NAME}"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "${DISPLAY_NAME} Setup"
VIAddVersionKey "CompanyName" "${PUBLISHER}"
VIAddVersionKey "LegalCopyright" "${PUBLISHER}"

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!insertmacro MUI_PAGE_LICENSE "${LICENCE}"
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

!define RUN_KEY "Software\Microsoft\Windows\CurrentVersion\Run"
!define CLASS_KEY "Software\Classes\AppUserModelId\${APP_ID}"

Var SettingsFile
Var UpdaterPid

!define SYNCHRONIZE 0x00100000
!define UPDATER_TIMEOUT_MS 30000

!macro runHidden COMMAND
  nsExec::ExecToLog '${COMMAND}'
  Pop $0
!macroend

# A running program keeps its files locked, so Sluice must end. It loses nothing: its next start continues as after a
# power cut.
!macro stopSluice
  !insertmacro runHidden '"$SYSDIR\schtasks.exe" /End /TN Sluice'
  !insertmacro runHidden '"$SYSDIR\taskkill.exe" /F /IM Sluice.exe'
  # Windows unlocks the files only a moment after the end of the program.
  Sleep 1000
!macroend

# The updater starts this installer and then ends by itself. The updater is a Sluice.exe too: if it still ran,
# stopSluice would kill it, and Windows would record a failed task.
!macro waitForUpdater
  ${If} $UpdaterPid != ""
    System::Call 'kernel32::OpenProcess(i ${SYNCHRONIZE}, i 0, i $UpdaterPid) p .r1'
    ${If} $1 P<> 0
      System::Call 'kernel32::WaitForSingleObject(p r1, i ${UPDATER_TIMEOUT_MS})'
      System::Call 'kernel32::CloseHandle(p r1)'
    ${EndIf}
  ${EndIf}
!macroend

# Sets the exit code if the last command failed, so that a silent roll-out notices the failure.
!macro reportFailure WHAT
  ${If} $0 != 0
    DetailPrint "${WHAT} failed ($0)."
    SetErrorLevel 1
  ${EndIf}
!macroend

Section "Sluice" SectionProgram
  SectionIn RO
  SetRegView 64
  SetShellVarContext all
  !insertmacro waitForUpdater
  !insertmacro stopSluice
  # An older version may have other files in these folders.
  RMDir /r "$INSTDIR\resources\app.asar.unpacked"
  RMDir /r "$INSTDIR\locales"
  SetOutPath "$INSTDIR"
  ClearErrors
  File /r "${APP}\*.*"
  ${If} ${Errors}
    DetailPrint "A file in $INSTDIR could not be written."
    SetErrorLevel 2
    Abort
  ${EndIf}
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\Sluice.lnk" "$INSTDIR\Sluice.exe"

  # Every user may create folders in %ProgramData% and then owns them. So the installer creates the folder of the
  # managed settings and restricts it: administrators and the system can write, users can read.
  CreateDirectory "$APPDATA\Sluice"
  !insertmacro runHidden '"$SYSDIR\icacls.exe" "$APPDATA\Sluice" ${ACCESS_OWNER}'
  !insertmacro reportFailure "Setting the owner of $APPDATA\Sluice"
  !insertmacro runHidden '"$SYSDIR\icacls.exe" "$APPDATA\Sluice" ${ACCESS_RESET}'
  !insertmacro reportFailure "Resetting the access list of $APPDATA\Sluice"
  !insertmacro runHidden '"$SYSDIR\icacls.exe" "$APPDATA\Sluice" ${ACCESS_GRANT}'
  !insertmacro reportFailure "Setting the access list of $APPDATA\Sluice"

  ${If} $SettingsFile != ""
    # Copy into a new file: it gets the access list of its folder, but an overwritten file would keep its old list.
    # Delete the old file only after the copy: $SettingsFile may be missing by now, or may be the old file itself.
    StrCpy $0 1
    Delete "$APPDATA\Sluice\settings.json.new"
    ClearErrors
    CopyFiles /SILENT "$SettingsFile" "$APPDATA\Sluice\settings.json.new"
    ${IfNot} ${Errors}
      Delete "$APPDATA\Sluice\settings.json"
      ClearErrors
      Rename "$APPDATA\Sluice\settings.json.new" "$APPDATA\Sluice\settings.json"
      ${IfNot} ${Errors}
        StrCpy $0 0
      ${EndIf}
    ${EndIf}
    !insertmacro reportFailure "Copying $SettingsFile"
  ${EndIf}

  # Notifications show this name and icon.
  WriteRegStr HKLM "${CLASS_KEY}" "DisplayName" "Sluice"
  WriteRegStr HKLM "${CLASS_KEY}" "IconUri" "$INSTDIR\Sluice.exe"

  WriteRegStr HKLM "${UNINSTALL_KEY}" "DisplayName" "${DISPLAY_NAME}"
  WriteRegStr HKLM "${UNINSTALL_KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKLM "${UNINSTALL_KEY}" "DisplayIcon" "$INSTDIR\Sluice.exe"
  WriteRegStr HKLM "${UNINSTALL_KEY}" "Publisher" "${PUBLISHER}"
  WriteRegStr HKLM "${UNINSTALL_KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKLM "${UNINSTALL_KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKLM "${UNINSTALL_KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKLM "${UNINSTALL_KEY}" "EstimatedSize" ${SIZE_KB}
  WriteRegDWORD HKLM "${UNINSTALL_KEY}" "NoModify" 1
  WriteRegDWORD HKLM "${UNINSTALL_KEY}" "NoRepair" 1

  # After an update, start the background service again with the new program. Without a service, this command fails
  # without consequences.
  !insertmacro runHidden '"$SYSDIR\schtasks.exe" /Run /TN Sluice'
SectionEnd

Section /o "Run without sign-in (service)" SectionService
  !insertmacro runHidden '"$INSTDIR\resources\bin\sluice.cmd" service install'
  !insertmacro reportFailure "sluice service install"
SectionEnd

Section /o "Start when a user signs in" SectionLogin
  SetRegView 64
  WriteRegStr HKLM "${RUN_KEY}" "Sluice" '"$INSTDIR\Sluice.exe" --hidden'
SectionEnd

Function .onInit
  ${GetParameters} $R0
  ClearErrors
  ${GetOptions} $R0 "/service" $R1
  ${IfNot} ${Errors}
    !insertmacro SelectSection ${SectionService}
  ${EndIf}
  ClearErrors
  ${GetOptions} $R0 "/startatlogin" $R1
  ${IfNot} ${Errors}
    !insertmacro SelectSection ${SectionLogin}
  ${EndIf}
  StrCpy $UpdaterPid ""
  ClearErrors
  ${GetOptions} $R0 "/updater=" $R1
  ${IfNot} ${Errors}
    StrCpy $UpdaterPid $R1
  ${EndIf}
  StrCpy $SettingsFile ""
  ClearErrors
  ${GetOptions} $R0 "/settings=" $R1
  ${IfNot} ${Errors}
    StrCpy $SettingsFile $R1
    ${IfNot} ${FileExists} "$SettingsFile"
      MessageBox MB_OK|MB_ICONSTOP "There is no file $SettingsFile." /SD IDOK
      SetErrorLevel 2
      Abort
    ${EndIf}
  ${EndIf}
FunctionEnd

# Data, settings and key stay: the journal is the proof of the uploads.
Section "Uninstall"
  SetRegView 64
  SetShellVarContext all
  !insertmacro stopSluice
  # These two tasks and the value in RUN_KEY would start a program that no longer exists.
  !insertmacro runHidden '"$SYSDIR\schtasks.exe" /Delete /TN Sluice /F'
  # This task exists only if the background service can install updates.
  !insertmacro runHidden '"$SYSDIR\schtasks.exe" /Delete /TN "Sluice Update" /F'
  DeleteRegValue HKLM "${RUN_KEY}" "Sluice"
  DeleteRegKey HKLM "${CLASS_KEY}"
  DeleteRegKey HKLM "${UNINSTALL_KEY}"
  Delete "$SMPROGRAMS\Sluice.lnk"
  # Delete only our own files: the user may have chosen a folder with other files.
  RMDir /r "$INSTDIR\resources"
  RMDir /r "$INSTDIR\locales"
  !include "${FILES}"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  # Without /r, this removes the folder only if it is empty.
  RMDir "$APPDATA\Sluice"
SectionEnd
