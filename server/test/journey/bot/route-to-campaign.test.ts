import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CampaignSettings } from '@patchbay/contract/campaigns.ts'
import fc from 'fast-check'
import { allSettings } from '../../../src/answers/campaigns/settings.ts'
import { type Campaign, type RouteInput, routeToCampaign } from '../../../src/journey/bot/decide/route-to-campaign.ts'

type Given = Partial<Omit<Campaign, 'settings'>> & { settings?: Partial<CampaignSettings> }

function campaign(id: `cmp_${string}`, { settings = {}, ...over }: Given = {}): Campaign {
  const own = { accountId: 'acc_1' as const, id, name: id, status: 'live' as const, isDefault: false, version: 1 }
  return { ...own, connectionId: null, trouble: null, ...over, settings: allSettings(settings) }
}

const keyword = (text: string, match: 'exact' | 'word' | 'contains' = 'word') => ({ keywords: [{ text, match }] })

function route(campaigns: Campaign[], over: Partial<RouteInput> = {}): string {
  const { campaign: found, routing } = routeToCampaign(campaigns, {
    named: null,
    assigned: null,
    channel: 'chat',
    text: 'Hello',
    ...over,
  })
  return `${found?.id ?? 'nobody'}, ${routing}`
}

const usual = campaign('cmp_default', { isDefault: true })

test('a campaign is found by name, then by keyword, then by assignment, then as the default', () => {
  const all = [usual, campaign('cmp_word', { settings: keyword('sale') }), campaign('cmp_own')]
  assert.equal(route(all, { named: 'cmp_own', text: 'sale' }), 'cmp_own, explicit')
  assert.equal(route(all, { text: 'The SALE, please' }), 'cmp_word, keyword')
  assert.equal(route(all, { assigned: 'cmp_own' }), 'cmp_own, assigned')
  assert.equal(route(all), 'cmp_default, default')
  assert.equal(route(all.slice(1)), 'nobody, none')
})

test('an unknown campaign name is reported, and the next routing rule applies', () => {
  const all = [usual, campaign('cmp_word', { settings: keyword('sale') })]
  assert.equal(route(all, { named: 'cmp_gone' }), 'cmp_default, unknown_campaign')
  assert.equal(route(all, { named: 'cmp_gone', text: 'sale' }), 'cmp_word, unknown_campaign')
})

test('a campaign that is not live is found only by its name', () => {
  const paused = campaign('cmp_paused', { status: 'paused', settings: keyword('sale') })
  assert.equal(route([usual, paused], { named: 'cmp_paused' }), 'cmp_paused, explicit')
  assert.equal(route([usual, paused], { text: 'sale' }), 'cmp_default, default')
  assert.equal(route([usual, paused], { assigned: 'cmp_paused' }), 'cmp_default, default')
})

test('a keyword moves an assigned conversation only to a campaign with keywordsTakeOver', () => {
  const staying = campaign('cmp_staying', { settings: keyword('sale') })
  const takingOver = campaign('cmp_taking_over', { settings: { ...keyword('sale'), keywordsTakeOver: true } })
  const own = campaign('cmp_own')
  assert.equal(route([own, staying], { assigned: 'cmp_own', text: 'sale' }), 'cmp_own, assigned')
  assert.equal(route([own, staying, takingOver], { assigned: 'cmp_own', text: 'sale' }), 'cmp_taking_over, keyword')
})

test('keyword matches rank exact, word, contains, then by priority, the longest keyword, the oldest campaign', () => {
  const contains = campaign('cmp_contains', { settings: { ...keyword('sal', 'contains'), priority: 9 } })
  const word = campaign('cmp_word', { settings: keyword('sale') })
  const exact = campaign('cmp_exact', { settings: keyword('the sale', 'exact') })
  const first = campaign('cmp_first', { settings: { ...keyword('sale'), priority: 1 } })
  const long = campaign('cmp_long', { settings: keyword('the sale') })
  assert.equal(route([contains, word, exact], { text: 'The  Sale' }), 'cmp_exact, keyword')
  assert.equal(route([contains, word], { text: 'The sale' }), 'cmp_word, keyword')
  assert.equal(route([contains, word], { text: 'Sales' }), 'cmp_contains, keyword')
  assert.equal(route([word, first], { text: 'sale' }), 'cmp_first, keyword')
  assert.equal(route([word, long], { text: 'the sale!' }), 'cmp_long, keyword')
  assert.equal(
    route([word, campaign('cmp_young', { settings: keyword('sale') })], { text: 'sale' }),
    'cmp_word, keyword',
  )
})

test('keywords match without regard to case, accents and spaces, and a word only as a whole', () => {
  const all = [campaign('cmp_1', { settings: keyword('Über uns') })]
  assert.equal(route(all, { text: 'uber   UNS?' }), 'cmp_1, keyword')
  assert.equal(route(all, { text: 'uber unser' }), 'nobody, none')
})

test('a campaign of other channels answers neither by keyword nor by default', () => {
  const sms = campaign('cmp_sms', { isDefault: true, settings: { ...keyword('sale'), channels: ['SMS'] } })
  assert.equal(route([sms], { text: 'sale' }), 'nobody, none')
  assert.equal(route([sms], { text: 'sale', channel: 'sms' }), 'cmp_sms, keyword')
  assert.equal(route([sms], { channel: 'sms' }), 'cmp_sms, default')
})

test('for any text only a campaign of the account is found, and only a live one unless it was named', () => {
  const status = fc.constantFrom('draft', 'live', 'paused', 'archived' as const)
  const some = fc.array(fc.record({ status, text: fc.string({ minLength: 1 }), isDefault: fc.boolean() }), {
    maxLength: 6,
  })
  fc.assert(
    fc.property(some, fc.string(), fc.option(fc.constantFrom('cmp_0', 'cmp_3', 'cmp_x')), (given, text, named) => {
      const campaigns = given.map((one, n) =>
        campaign(`cmp_${n}`, { status: one.status, isDefault: one.isDefault, settings: keyword(one.text, 'contains') }),
      )
      const { campaign: found, routing } = routeToCampaign(campaigns, { named, assigned: 'cmp_1', channel: '', text })
      assert.ok(found === undefined || campaigns.includes(found))
      if (routing !== 'explicit') assert.ok(found === undefined || found.status === 'live')
    }),
  )
})
