/** Lets two streams say to each other what each hears. One may go on after the other has said everything; a broken one takes the other with it. */
import { type Duplex, pipeline } from 'node:stream';

const MAX_LISTENERS = 24;

/** Gives back how to cut both. */
export function joinStreams(one: Duplex, other: Duplex, onOver = () => {}): () => void {
  // Two pipelines hear each of them several times; Node would take that for a leak.
  for (const stream of [one, other]) stream.setMaxListeners(Math.max(MAX_LISTENERS, stream.getMaxListeners()));
  let left = 2;
  let isOver = false;
  const cut = () => {
    if (isOver) return;
    isOver = true;
    one.destroy();
    other.destroy();
    onOver();
  };
  const ended = (error: unknown) => {
    left -= 1;
    if (error || left === 0) cut();
  };
  pipeline(one, other, ended);
  pipeline(other, one, ended);
  return cut;
}
