@rem Sluice in a console: Sluice.exe alone has a window, and no console waits for it. A script does.
@rem Electron on Windows ends at once where anything follows an address, unless both stand behind "--".
@setlocal
@set "FIRST=%~1"
@if "%FIRST:~0,1%"=="-" goto window
@"%~dp0..\..\Sluice.exe" -- %*
@exit /b %ERRORLEVEL%
:window
@"%~dp0..\..\Sluice.exe" %*
@exit /b %ERRORLEVEL%
