/** A thread that checks answers of SAML providers: whatever a forged one costs, it costs here. One after the other, as they are sent. */
import { parentPort } from 'node:worker_threads';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { ProviderError } from '../../provider-error.ts';
import type { GivenAnswer } from '../../saml-answers.ts';
import { loadDecryption } from '../answer/decrypt-assertion.ts';
import { proveAnswer } from '../answer/prove-answer.ts';
import { loadLibrary } from '../answer/verify-signatures.ts';
import type { AnswerMessage, AnswerOutcome, AnswerRequest } from './answer-messages.ts';

const port = parentPort!;
// Before anybody waits: the thread is started when a browser leaves for the provider.
const ready = Promise.all([loadLibrary(), loadDecryption()]);

port.on('message', async ({ id, given }: AnswerRequest) => {
  // Under `node --watch` the runtime sends notices of its own through the same port.
  if (given === undefined) return;
  await ready;
  tell({ type: 'begun', id, cpu: process.threadCpuUsage() });
  tell({ type: 'done', id, outcome: await outcomeOf(given) });
});

async function outcomeOf(given: GivenAnswer): Promise<AnswerOutcome> {
  try {
    return { proven: await proveAnswer(given) };
  } catch (error) {
    if (error instanceof ProviderError) return { refused: { step: error.step, message: error.message } };
    return { error: errorMessage(error) };
  }
}

function tell(message: AnswerMessage): void {
  port.postMessage(message);
}
