/** A limit for one piece of work of a thread, in time that the thread ran: by the clock alone, a busy machine would end honest work. */
import type { Worker } from 'node:worker_threads';

const LOOKS = 4;
/** Of the clock, in limits: for what neither runs nor ends, and for what cannot even be asked. */
const PATIENCE = 5;

export interface Deadline {
  /** The work begins now; `cpu` is what the thread has used before. */
  begun(cpu: NodeJS.CpuUsage): void;
  stop(): void;
}

export function watchWork(worker: Worker, limitMs: number, onOverdue: () => void): Deadline {
  let before: NodeJS.CpuUsage | undefined;
  let isOver = false;
  const stop = () => {
    isOver = true;
    clearInterval(looking);
    clearTimeout(patience);
  };
  const overdue = () => {
    if (isOver) return;
    stop();
    onOverdue();
  };
  const look = async () => {
    if (!before) return;
    const { user, system } = await worker.cpuUsage(before);
    if ((user + system) / 1000 >= limitMs) overdue();
  };
  // One that has ended meanwhile cannot be asked, and whoever waits for it hears that elsewhere.
  const looking = setInterval(() => void look().catch(() => {}), limitMs / LOOKS).unref();
  const patience = setTimeout(overdue, limitMs * PATIENCE).unref();
  return {
    begun(cpu) {
      before = cpu;
    },
    stop,
  };
}
