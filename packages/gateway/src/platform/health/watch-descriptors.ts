/** Notices that the process may open nothing more: connections are then refused by the system, without a word to anybody. */
import { close, open } from 'node:fs';
import { Counter, type Registry } from 'prom-client';
import type { Log } from '../std/log.ts';
import { toldError } from '../std/told-error.ts';
import { createTrouble } from '../std/trouble.ts';
import { NotReady } from './readiness.ts';

const LOOK_EVERY_MS = 1_000;

interface DescriptorDeps {
  registry: Registry;
  log: Log;
  now: () => number;
  everyMs?: number;
}

export interface DescriptorWatch {
  /** Throws while nothing further can be opened: for whoever asks over a connection they have. */
  check(): Promise<void>;
  stop(): void;
}

export function watchDescriptors({ registry, log, now, everyMs = LOOK_EVERY_MS }: DescriptorDeps): DescriptorWatch {
  const exhausted = new Counter({
    name: 'gatehouse_descriptors_exhausted_total',
    help: 'Looks, one a second, at which no further file or connection could be opened: raise the limit (ulimit -n, LimitNOFILE).',
    registers: [registry],
  });
  const words = {
    begun:
      'no further file or connection can be opened; whoever connects is turned away: raise the limit of open files',
    over: 'files and connections can be opened again',
  };
  const trouble = createTrouble({ log, now, words });
  let isExhausted = false;
  const timer = setInterval(() => {
    open('/dev/null', 'r', (error, descriptor) => {
      if (!error) {
        close(descriptor);
        isExhausted = false;
        trouble.worked();
      } else if (error.code === 'EMFILE' || error.code === 'ENFILE') {
        exhausted.inc();
        isExhausted = true;
        trouble.failed(toldError(error));
      }
    });
  }, everyMs).unref();
  return {
    async check() {
      if (isExhausted) throw new NotReady('no further file or connection can be opened');
    },
    stop: () => clearInterval(timer),
  };
}
