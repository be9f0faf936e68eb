import { expect, test } from 'vitest';
import { SessionParts } from '../../sessions/host/session-parts.ts';
import { readKubeRequest } from './engine/kube-request.ts';
import { StreamAnswer } from './engine/stream-answer.ts';
import { createKubeCalls, type KubeEntered } from './kube-calls.ts';
import { toListedKube } from './listed-kube.ts';

const record = { cluster: 'localhost', kind: 'kube', id: 'prod', name: 'prod', labels: {}, owner: '' } as const;
const cluster = toListedKube({ ...record, spec: { server: 'https://10.0.0.1' }, expires: undefined }, new Map());

test('whoever leaves while an agent is asked what to show has nothing opened for them, and is told to the log', async () => {
  const told: number[] = [];
  let opened = 0;
  let isGone = false;
  const pool = {
    idle: () => undefined,
    open: () => {
      opened += 1;
      return new Promise(() => {});
    },
  };
  const use = {
    ...{ cluster, pool, who: { user: 'ann', groups: [] }, caller: { username: 'ann' }, begin: () => () => {} },
    ...{ hosted: { parts: new SessionParts(), end: undefined }, signal: new AbortController().signal },
    async credential() {
      isGone = true;
      return { token: 'x' };
    },
  };
  const entered = {
    ...{ use, request: readKubeRequest('GET', '/api/v1/pods?watch=1'), requestId: 'r' },
    decision: { allows: undefined, requireName: undefined, requireMake() {}, whyOver: () => undefined },
    tell: (status: number) => told.push(status) === 1,
    tellFound() {},
  } as unknown as KubeEntered;
  const carried = { headers: [], body: 'none' as const, source: undefined, answer: new StreamAnswer(), refuse() {} };

  await createKubeCalls({} as never).carry(entered, { ...carried, hasLeft: () => isGone });

  expect({ opened, told }).toEqual({ opened: 0, told: [499] });
});
