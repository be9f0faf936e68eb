import { expect, test } from 'vitest';
import { type DesktopDraft, desktopOf, faultsOf, NEW_DRAFT, withProtocol } from './desktop-draft.ts';

const draft = (more: Partial<DesktopDraft>): DesktopDraft => ({
  ...NEW_DRAFT,
  ...{ name: 'win-1', addr: '10.0.0.7', pin: 'AB:'.repeat(31).concat('AB') },
  ...more,
});

test('the usual port and the writing of a fingerprint are filled in', () => {
  expect(faultsOf(draft({}))).toEqual({});
  expect(desktopOf(draft({ pairs: ['env=prod'], through: ['edge-1'] }))).toEqual({
    ...{
      name: 'win-1',
      labels: { env: 'prod' },
      addr: '10.0.0.7:3389',
      protocol: 'rdp',
      domain: '',
      through: 'edge-1',
    },
    ...{ askPassword: true, certificate: { pin: `sha256:${'ab'.repeat(32)}` } },
  });
  expect(desktopOf(draft({ protocol: 'vnc' }))).toMatchObject({ addr: '10.0.0.7:5900' });
  expect(desktopOf(draft(withProtocol('vnc')))).not.toHaveProperty('certificate');
  // One that was accepted stays when something else is changed.
  expect(desktopOf(draft({ protocol: 'vnc' }))).toHaveProperty('certificate');
});

test('what is not right is said of its own field', () => {
  expect(Object.keys(faultsOf(draft({ name: 'Win 1', addr: '', domain: 'a b', pin: 'x', pairs: ['='] })))).toEqual([
    'name',
    'addr',
    'domain',
    'certificate',
    'labels',
  ]);
  expect(faultsOf(draft({ known: 'later', pin: '' }))).toEqual({});
});
