/**
 * The gateway's end of the way to the thread that checks answers of SAML providers. The libraries that verify XML take longer than a
 * document is long, and anybody may post one: here a forged answer holds up other answers at most, and those for a bounded time.
 */
import { Worker } from 'node:worker_threads';
import { AppError } from '../../../../../platform/std/app-error.ts';
import { createFairLine } from '../../../../../platform/std/fair-line.ts';
import type { Log } from '../../../../../platform/std/log.ts';
import { workerUrl } from '../../../../../platform/std/worker-url.ts';
import { WorkerCalls } from '../../../../../platform/threads/worker-calls.ts';
import { ProviderError } from '../../provider-error.ts';
import type { GivenAnswer, SamlAnswers } from '../../saml-answers.ts';
import type { AnswerMessage, AnswerOutcome, AnswerRequest } from './answer-messages.ts';
import { type Deadline, watchWork } from './watch-work.ts';

/** In line, in all, from one network and from one client. */
export const MAX_WAITING = 64;
export const MAX_WAITING_NETWORK = 32;
export const MAX_WAITING_EACH = 8;
/** Behind so many that each take all they may, whoever signs in is better told. */
const WAIT_MS = 30_000;
/** Of the thread's own running. The longest answers that are taken need a third of it. */
const LIMIT_MS = 2_000;
/** Longer than people need at their provider. */
const IDLE_MS = 10 * 60_000;
/** Libraries and one document, however it is written. */
const MAX_MEGABYTES = 192;

export interface SamlAnswersDeps {
  log: Log;
  limitMs?: number;
  idleMs?: number;
  worker?: URL;
}

export function createSamlAnswers({
  log,
  limitMs = LIMIT_MS,
  idleMs = IDLE_MS,
  worker: url = workerUrl('saml-worker', import.meta.url),
}: SamlAnswersDeps): SamlAnswers {
  const line = createFairLine({
    waiting: MAX_WAITING,
    waitingPerNetwork: MAX_WAITING_NETWORK,
    waitingPerClient: MAX_WAITING_EACH,
    waitMs: WAIT_MS,
    refuse: () =>
      new ProviderError('token', 'too many answers wait to be checked: begin again in a moment', {
        failure: 'generic',
      }),
  });
  const calls = new WorkerCalls<AnswerOutcome>();
  let worker: Worker | undefined;
  let deadline: Deadline | undefined;
  let idle: NodeJS.Timeout | undefined;
  /** Also of those that are ended while the next one works. */
  const ends = new Set<Promise<void>>();
  let isClosed = false;

  function start(): Worker {
    const started = new Worker(url, { name: 'saml', resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES } });
    started.unref();
    started.on('message', (message: AnswerMessage) => {
      if (message.type === 'begun') deadline?.begun(message.cpu);
      else if (message.type === 'done') calls.resolve(message.id, message.outcome);
    });
    started.on('error', (error) => log.warn({ error }, 'the thread that checks answers of SAML failed'));
    const exited = new Promise<void>((resolve) => {
      started.on('exit', () => {
        ends.delete(exited);
        resolve();
        // What waits now may wait for the next one.
        if (worker !== started) return;
        worker = undefined;
        calls.rejectAll(new ProviderError('token', 'the answer could not be checked: the thread for it ended'));
      });
    });
    ends.add(exited);
    return started;
  }

  function waken(): Worker {
    worker ??= start();
    rest();
    return worker;
  }

  /** Those without anybody on the way need no memory for it. */
  function rest(): void {
    clearTimeout(idle);
    idle = setTimeout(() => {
      if (calls.size > 0) return rest();
      end();
    }, idleMs).unref();
  }

  /** Whoever comes next gets a new one, also while the old one has not ended yet. */
  function end(): void {
    const ended = worker;
    worker = undefined;
    void ended?.terminate();
  }

  async function ask(given: GivenAnswer): Promise<AnswerOutcome> {
    if (isClosed) throw closing();
    const thread = waken();
    const asked = calls.call((id) => thread.postMessage({ id, given } satisfies AnswerRequest));
    deadline = watchWork(thread, limitMs, () => {
      log.warn({ limitMs }, 'an answer of SAML takes too long to check; its thread is ended');
      calls.rejectAll(new ProviderError('token', `the answer was not checked within ${limitMs / 1000} seconds`));
      end();
    });
    try {
      return await asked;
    } finally {
      deadline.stop();
    }
  }

  return {
    warm() {
      if (!isClosed) waken();
    },
    async prove(client, given) {
      const outcome = await line.run(() => ask(given), client);
      if ('proven' in outcome) return outcome.proven;
      if ('refused' in outcome) throw new ProviderError(outcome.refused.step, outcome.refused.message);
      throw new Error(outcome.error);
    },
    async close() {
      isClosed = true;
      clearTimeout(idle);
      // A process with nothing else to do would end before the thread, and look as if it hung.
      worker?.ref();
      end();
      calls.rejectAll(closing());
      await Promise.all(ends);
    },
  };
}

function closing(): AppError {
  return new AppError('unavailable', 'the gateway is closing');
}
