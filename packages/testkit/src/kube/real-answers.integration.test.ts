import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type KubeCluster, startKubeCluster } from './kube-cluster.ts';
import type { Json } from './kube-object.ts';
import { ask, heldPart, QUESTIONS } from './questions.ts';

/** Of kube-apiserver 1.20.2; `node tools/real-cluster/compare.ts --record` asks it again. */
const REAL = JSON.parse(readFileSync(join(import.meta.dirname, 'real-answers.json'), 'utf8')) as Record<string, Json>;

let cluster: KubeCluster;
beforeAll(async () => {
  cluster = await startKubeCluster({ version: '1.20' });
});
afterAll(async () => await cluster?.stop());

test('every question has an answer of the real server, and no answer is left over', () => {
  expect(QUESTIONS.map(({ name }) => name).toSorted()).toEqual(Object.keys(REAL).toSorted());
});

// One after the other: later ones ask about what earlier ones made.
test.each(QUESTIONS)('the small cluster answers as the real one did: $name', async (question) => {
  const { url, ca, adminToken: token } = cluster;
  const answer = heldPart(question, await ask({ url, ca, token }, question));

  expect(JSON.parse(JSON.stringify(answer))).toEqual(REAL[question.name]);
});
