import type { Licence } from '../../../shared/ipc/licences.ts'

const permission =
  'Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, subject to the following conditions:\n\nThe above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.'

const mitLicence = (name: string, version: string): Licence => ({
  name,
  version,
  licence: 'MIT',
  text: `The MIT License (MIT)\n\nCopyright (c) the authors of ${name}\n\n${permission}`,
})

export const licences: readonly Licence[] = [
  { name: '@internationalized/number', version: '3.6.9', licence: 'Apache-2.0', text: null },
  mitLicence('@mcap/core', '2.2.2'),
  mitLicence('@tanstack/react-virtual', '3.14.26'),
  mitLicence('better-sqlite3', '13.0.3'),
  mitLicence('chokidar', '6.0.0'),
  mitLicence('electron-log', '5.4.4'),
  { ...mitLicence('heap-js', '2.7.1'), licence: 'BSD-3-Clause' },
  mitLicence('picomatch', '4.0.7'),
  mitLicence('react', '19.3.1'),
  mitLicence('react-dom', '19.3.1'),
  { name: 'tslib', version: '2.9.1', licence: '0BSD', text: null },
  mitLicence('undici', '8.12.4'),
  mitLicence('zod', '4.6.7'),
]
