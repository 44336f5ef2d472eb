@rem Starts Sluice from a console. Sluice.exe is a window program, so a console does not wait for it. It waits for a script.
@rem On Windows, Electron exits at once if an argument follows a URL, unless both come after "--".
@setlocal
@set "FIRST=%~1"
@if "%FIRST:~0,1%"=="-" goto window
@"%~dp0..\..\Sluice.exe" -- %*
@exit /b %ERRORLEVEL%
:window
@"%~dp0..\..\Sluice.exe" %*
@exit /b %ERRORLEVEL%
