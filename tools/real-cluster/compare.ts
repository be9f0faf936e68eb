/**
 * Asks a real API server what the small one is asked in tests: `--record` keeps its answers for `real-answers.integration.test.ts`, else the
 * answers that are kept are held against it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ask, heldPart, QUESTIONS } from '@gatehouse/testkit/kube/questions';
import { startRealCluster } from './start-real-cluster.ts';

const FILE = join(import.meta.dirname, '../../packages/testkit/src/kube/real-answers.json');
const cluster = await startRealCluster();
try {
  const answers: Record<string, unknown> = {};
  for (const question of QUESTIONS) answers[question.name] = heldPart(question, await ask(cluster, question));
  if (process.argv.includes('--record')) writeFileSync(FILE, `${JSON.stringify(answers, null, 1)}\n`);
  else {
    const kept = JSON.parse(readFileSync(FILE, 'utf8')) as typeof answers;
    const other = QUESTIONS.filter(
      ({ name }) => !isDeepStrictEqual(kept[name], JSON.parse(JSON.stringify(answers[name]))),
    );
    for (const { name } of other) {
      process.stdout.write(`${name}\n  kept ${JSON.stringify(kept[name])}\n  now  ${JSON.stringify(answers[name])}\n`);
    }
    process.stdout.write(`${QUESTIONS.length - other.length} answers are as kept, ${other.length} are not\n`);
    process.exitCode = other.length === 0 ? 0 : 1;
  }
} finally {
  await cluster.stop();
}
