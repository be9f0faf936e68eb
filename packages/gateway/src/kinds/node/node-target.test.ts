import { expect, test } from 'vitest';
import { nodeTarget } from './node-target.ts';

test('a server is dialled by the agent that announces it, by the one it was entered with, or from here', () => {
  const addr = 'db.inside:22';

  expect(nodeTarget({ spec: { addr, through: 'a1' }, owner: 'a2' }).through).toEqual({ agent: 'a2' });
  expect(nodeTarget({ spec: { addr, through: 'a1' }, owner: '' }).through).toEqual({ agent: 'a1' });
  expect(nodeTarget({ spec: { addr }, owner: '' })).toEqual({ addr, through: 'gateway', mayBeThisMachine: false });
});

test('it is on the machine of the gateway only where an administrator said so', () => {
  expect(nodeTarget({ spec: { addr: 'here:22', ownMachine: true }, owner: '' }).mayBeThisMachine).toBe(true);
});
