/** Counts and logs what went wrong for one connection and was held there: each is a mistake of ours that somebody found. */
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { onContained } from '@gatehouse/tunnel/contain';
import type { Log } from '../std/log.ts';
import { createOncePer } from '../std/throttle.ts';
import type { Metrics } from './metrics.ts';

/** Whoever found one can repeat it at will: the log tells of each sort once in so long, the number of all. */
const REPEAT_MS = 10_000;

export function watchContained({
  metrics,
  log,
  now,
}: {
  metrics: Pick<Metrics, 'containedErrors'>;
  log: Log;
  now: () => number;
}): () => void {
  const isNews = createOncePer(REPEAT_MS, now);
  return onContained(({ where, address, error }) => {
    metrics.containedErrors.inc({ where });
    const message = errorMessage(error);
    if (isNews(`${where} ${message.slice(0, 100)}`))
      log.error({ where, address, error }, 'a connection was closed by our own mistake');
  });
}
