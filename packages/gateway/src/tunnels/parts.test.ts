import { StreamRefused, TunnelError } from '@gatehouse/tunnel/tunnel-error';
import { describe, expect, test } from 'vitest';
import { isOwnAudience } from './audience.ts';
import { explainFailure } from './explain-failure.ts';
import { createHandshakeSlots } from './handshake-slots.ts';

describe('places for handshakes', () => {
  test('are limited in all and by address, and free again when let go', () => {
    const slots = createHandshakeSlots({ total: 3, perAddress: 2 });
    const release = slots.take('10.0.0.1');
    slots.take('10.0.0.1');

    expect(() => slots.take('10.0.0.1')).toThrow('too many agents');
    slots.take('10.0.0.2');
    expect(() => slots.take('10.0.0.3')).toThrow('too many agents');
    release();
    release();
    expect([slots.taken, slots.peak]).toEqual([2, 3]);
    slots.take('10.0.0.1');
    expect(slots.taken).toBe(3);
  });

  test('are shared by everything one customer of a provider calls its own', () => {
    const slots = createHandshakeSlots({ total: 10, perAddress: 1 });
    slots.take('2001:db8:1:2::3');

    expect(() => slots.take('2001:db8:1:2:aaaa::4')).toThrow('too many agents');
    slots.take('2001:db8:1:3::3');
  });
});

describe('the gateway an agent meant', () => {
  const named = {
    listen: { host: '0.0.0.0', port: 3080 },
    publicAddr: { host: 'gate.example.com', port: 443, origin: 'https://gate.example.com' },
    proxy: { behind: true, trusted: [] },
  };
  const odd = {
    ...named,
    publicAddr: { host: 'gate.example.com', port: 8443, origin: 'https://gate.example.com:8443' },
  };
  const nameless = { listen: { host: '0.0.0.0', port: 3080 }, proxy: { behind: false, trusted: [] } };
  const loopback = { listen: { host: '127.0.0.1', port: 3080 }, proxy: { behind: false, trusted: [] } };

  test.each([
    ['its public name', named, 'gate.example.com', '', true],
    ['the name with another port', named, 'gate.example.com:8080', '', false],
    ['another name, though the request names it too', named, 'evil.example.com', 'evil.example.com', false],
    ['the name with its own port', odd, 'gate.example.com:8443', '', true],
    ['the name without it', odd, 'gate.example.com', '', false],
    ['this machine', named, 'localhost:3080', '', true],
    ['what the request names where there is no name', nameless, '10.0.0.5:3080', '10.0.0.5:3080', true],
    ['something else than the request names', nameless, 'evil.example.com', '10.0.0.5:3080', false],
    ['loopback through a forwarded port', loopback, '127.0.0.1:9000', '127.0.0.1:9000', true],
    ['another name on loopback', loopback, 'gate.example.com', 'gate.example.com', false],
    ['nonsense', named, 'a/b@c', '', false],
  ])('%s', (_, config, audience, asked, own) => {
    expect(isOwnAudience(config, audience, asked)).toBe(own);
  });
});

describe('failures in words', () => {
  test.each([
    [new StreamRefused('not_allowed', 'no'), 'denied', /configuration of the agent 'web-1' does not allow it: no/],
    [new StreamRefused('unreachable', 'connection refused'), 'target_unreachable', /could not get there: connection/],
    [new StreamRefused('busy', 'full'), 'unavailable', /full/],
    [new StreamRefused('failed', ''), 'target_unreachable', /gave no reason/],
    [new TunnelError('timed_out', 'x'), 'target_unreachable', /did not answer in time/],
    [new TunnelError('closed', 'x'), 'target_unreachable', /was lost/],
    [new TunnelError('busy', 'x'), 'unavailable', /too much open/],
  ])('%s', (error, code, words) => {
    expect(explainFailure(error, 'web-1')).toMatchObject({ code, message: expect.stringMatching(words), cause: error });
  });

  test('what is not of the tunnel stays as it is', () => {
    const error = new Error('mine');

    expect(explainFailure(error, 'web-1')).toBe(error);
  });
});
