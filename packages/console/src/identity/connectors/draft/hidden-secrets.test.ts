import { expect, test } from 'vitest';
import { hideSecrets, withSecrets } from './hidden-secrets.ts';

const OIDC = `spec:
  client_id: c-1 # ours
  client_secret: hush-hush # from the safe
  scope: [openid]
`;

test('a secret is hidden on its line, and everything else stays as it was written', () => {
  const hidden = hideSecrets('oidc', OIDC);

  expect(hidden).toEqual({
    text: OIDC.replace('hush-hush', '••••••••'),
    found: { 'spec.client_secret': 'hush-hush' },
  });
  expect(withSecrets('oidc', hidden?.text ?? '', hidden?.found ?? {})).toBe(OIDC.replace('hush-hush', '"hush-hush"'));
});

test('every secret of a kind is hidden, however it is written', () => {
  const text = `spec:
  signing_key_pair:
    cert: abc
    private_key: |
      -----BEGIN
      k1
  assertion_key_pair: {cert: abc, private_key: 'k2'}
  sso: https://sso.example
`;
  const hidden = hideSecrets('saml', text);

  expect(hidden?.text).not.toMatch(/k1|k2/);
  expect(hidden?.found).toEqual({
    'spec.signing_key_pair.private_key': '-----BEGIN\nk1\n',
    'spec.assertion_key_pair.private_key': 'k2',
  });
  const whole = withSecrets('saml', hidden?.text ?? '', hidden?.found ?? {});
  expect(hideSecrets('saml', whole)?.found).toEqual(hidden?.found);
  // What the gateway finds wrong is told by lines of what it was sent.
  expect(whole.split('\n').indexOf('  sso: https://sso.example')).toBe(
    hidden?.text.split('\n').indexOf('  sso: https://sso.example'),
  );
});

test('what stands in for a secret is none itself, and stays where no secret is held for it', () => {
  const text = OIDC.replace('hush-hush', '••••••••');

  expect(hideSecrets('oidc', text)).toEqual({ text, found: {} });
  expect(withSecrets('oidc', text, {})).toBe(text);
  expect(withSecrets('oidc', OIDC, { 'spec.client_secret': 'older' })).toBe(OIDC);
});

test('of a text that cannot be read, nobody knows where its secrets stand', () => {
  expect(hideSecrets('oidc', 'spec: [')).toBeUndefined();
  expect(withSecrets('oidc', 'spec: [', { 'spec.client_secret': 'x' })).toBe('spec: [');
});
