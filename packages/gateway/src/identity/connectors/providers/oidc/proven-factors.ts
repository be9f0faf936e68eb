/** Whether an OpenID provider says that somebody proved themselves by two factors. What it does not say was not done. */

/** RFC 8176: what somebody knows, has, and is. */
const KNOWN = ['pwd', 'pin', 'kba'];
const HELD = ['otp', 'hwk', 'swk', 'sms', 'tel', 'sc', 'fido', 'fido2', 'pop'];
const BORN = ['fpt', 'face', 'iris', 'retina', 'vbm'];

/** Those whose meaning is written down somewhere; other values mean what each provider's owner made of them. */
const ACR_OF_TWO = new Set([
  'phr',
  'phrh',
  'https://refeds.org/profile/mfa',
  'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
  'http://schemas.openid.net/pape/policies/2007/06/multi-factor-physical',
  'urn:okta:loa:2fa:any',
]);

export function provesTwoFactors({ amr, acr }: Readonly<Record<string, unknown>>): boolean {
  if (typeof acr === 'string' && ACR_OF_TWO.has(acr)) return true;
  if (!Array.isArray(amr)) return false;
  if (amr.includes('mfa')) return true;
  return [KNOWN, HELD, BORN].filter((methods) => methods.some((method) => amr.includes(method))).length >= 2;
}
