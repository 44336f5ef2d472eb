import { expect, test } from 'vitest'
import { sluice } from '../../../../support/typed-command.ts'

test.each(['account', 'group'])(
  '`service install --user` refuses --%s, which it would ignore',
  async (option) => {
    const { code, out, err } = await sluice('service', 'install', '--user', `--${option}`, 'lab', '--print')
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain(`Give --user or --${option}, not both.`)
  },
)
