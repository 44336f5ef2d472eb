import type { Licence } from '../../../shared/ipc/licences.ts'

const permission =
  'Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, subject to the following conditions:\n\nThe above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.'

const mit = (name: string, version: string): Licence => ({
  name,
  version,
  licence: 'MIT',
  text: `The MIT License (MIT)\n\nCopyright (c) the authors of ${name}\n\n${permission}`,
})

export const licences: readonly Licence[] = [
  { name: '@internationalized/number', version: '3.6.9', licence: 'Apache-2.0', text: null },
  mit('@mcap/core', '2.2.2'),
  mit('@tanstack/react-virtual', '3.14.26'),
  mit('better-sqlite3', '13.0.3'),
  mit('chokidar', '6.0.0'),
  mit('electron-log', '5.4.4'),
  { ...mit('heap-js', '2.7.1'), licence: 'BSD-3-Clause' },
  mit('picomatch', '4.0.7'),
  mit('react', '19.3.1'),
  mit('react-dom', '19.3.1'),
  { name: 'tslib', version: '2.9.1', licence: '0BSD', text: null },
  mit('undici', '8.12.4'),
  mit('zod', '4.6.7'),
]
