import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Icon } from './icon.tsx';
import { type NamedProvider, providerIcon } from './provider-icon.tsx';

afterEach(cleanup);

const mark = (provider: NamedProvider) => {
  const { container } = render(<Icon of={providerIcon(provider)} size={20} />);
  const { innerHTML } = container;
  expect(container.querySelector('svg')?.getAttribute('width')).toBe('20');
  cleanup();
  return innerHTML;
};

test('each of the well-known providers and each way of speaking has a mark of its own', () => {
  const marks = [
    mark({ name: 'gh', type: 'github' }),
    mark({ name: 'google', type: 'oidc' }),
    mark({ name: 'corp', displayName: 'Microsoft Entra', type: 'saml' }),
    mark({ name: 'corp', type: 'oidc' }),
    mark({ name: 'corp', type: 'saml' }),
  ];

  expect(new Set(marks).size).toBe(marks.length);
});

test('a connector may ask for a mark; one that nobody drew is drawn by how it speaks', () => {
  const asked = [
    'github',
    'gitlab',
    'google',
    'microsoft',
    'okta',
    'auth0',
    'keycloak',
    'authentik',
    'onelogin',
    'ping',
  ];
  const marks = [...asked, 'generic'].map((icon) => mark({ name: 'corp', type: 'oidc', icon }));

  expect(new Set(marks).size).toBe(marks.length);
  expect(providerIcon({ name: 'okta', type: 'oidc', icon: 'generic' })).toBe(
    providerIcon({ name: 'corp', type: 'oidc' }),
  );
  expect(providerIcon({ name: 'corp', type: 'saml', icon: 'constructor' })).toBe(
    providerIcon({ name: 'corp', type: 'saml' }),
  );
});

test('what a provider is called counts for every way of speaking', () => {
  expect(providerIcon({ name: 'Azure-AD', type: 'oidc' })).toBe(providerIcon({ name: 'entra', type: 'saml' }));
  expect(providerIcon({ name: 'github-enterprise', type: 'oidc' })).toBe(providerIcon({ name: 'x', type: 'github' }));
});
