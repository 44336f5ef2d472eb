@rem Sluice in a console: Sluice.exe alone has a window, and no console waits for it. A script does.
@"%~dp0..\..\Sluice.exe" %*
@exit /b %ERRORLEVEL%
