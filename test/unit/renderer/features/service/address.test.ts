import { describe, expect, it } from 'vitest'
import { suggestAddress } from '../../../../../renderer/features/service/address.ts'

describe('the suggestion', () => {
  it.each([
    ['api.example.com', 'https://api.example.com'],
    ['https://api.example.com/v1/sessions?x=1', 'https://api.example.com'],
    ['http://api.example.com', null],
    ['hello', null],
    ['https://', null],
  ])('for the typed address %s is %s', (typed, suggestion) => {
    expect(suggestAddress(typed)).toBe(suggestion)
  })
})
