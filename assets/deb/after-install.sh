#!/bin/sh
# In a terminal `sluice` is the launcher: the app itself would want a display, and end as root.
program='/opt/${sanitizedProductName}'
ln -sf "$program/resources/bin/sluice" '/usr/bin/${executable}'

# Chromium's sandbox is made of user namespaces; where the kernel gives none, of a program that runs as root.
if unshare --user true 2>/dev/null; then
  chmod 0755 "$program/chrome-sandbox"
else
  chmod 4755 "$program/chrome-sandbox"
fi

if command -v update-desktop-database >/dev/null; then update-desktop-database /usr/share/applications; fi
if command -v update-mime-database >/dev/null; then update-mime-database /usr/share/mime; fi

# Where AppArmor takes user namespaces away (Ubuntu 24.04 and later), a profile gives them back to this one program. An
# AppArmor that cannot read it takes none away.
profile="$program/resources/apparmor-profile"
if apparmor_status --enabled >/dev/null 2>&1 &&
  apparmor_parser --skip-kernel-load --debug "$profile" >/dev/null 2>&1; then
  cp -f "$profile" '/etc/apparmor.d/${executable}'
  # In the making of a disk image there is no kernel to tell.
  if ! ischroot 2>/dev/null; then
    apparmor_parser --replace --write-cache --skip-read-cache '/etc/apparmor.d/${executable}'
  fi
fi
exit 0
