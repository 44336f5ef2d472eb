#!/bin/sh
rm -f '/usr/bin/${executable}'
profile='/etc/apparmor.d/${executable}'
if [ -f "$profile" ]; then
  if apparmor_status --enabled >/dev/null 2>&1 && ! ischroot 2>/dev/null; then
    apparmor_parser --remove "$profile"
  fi
  rm -f "$profile"
fi
exit 0
