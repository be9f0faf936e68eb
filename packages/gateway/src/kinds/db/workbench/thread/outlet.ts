/** What one request answers, on its way to the page: data stops where the page is too far behind. */
import { EDITOR_AHEAD_BYTES, type EditorReply } from '@gatehouse/contract/kinds/db/editor';

type Numbered = Extract<EditorReply, { type: 'rows' | 'piece' }>;
type Unnumbered<Reply> = Reply extends Numbered ? Omit<Reply, 'id' | 'seq'> : never;
type Unnamed<Reply> = Reply extends { id: number } ? Omit<Reply, 'id'> : never;

export class Outlet {
  readonly id: number;
  readonly #send: (text: string) => void;
  #seq = 0;
  #ahead = 0;
  readonly #sent: { seq: number; size: number }[] = [];
  #room: PromiseWithResolvers<void> | undefined;
  #isDropped = false;

  constructor(id: number, send: (text: string) => void) {
    this.id = id;
    this.#send = send;
  }

  tell(reply: Unnamed<Exclude<EditorReply, Numbered>>): void {
    this.#send(JSON.stringify({ ...reply, id: this.id }));
  }

  data(reply: Unnumbered<Numbered>): void {
    if (this.#isDropped) return;
    const text = JSON.stringify({ ...reply, id: this.id, seq: this.#seq });
    this.#sent.push({ seq: this.#seq, size: text.length });
    this.#ahead += text.length;
    this.#seq += 1;
    this.#send(text);
  }

  ack(seq: number): void {
    while (this.#sent[0] && this.#sent[0].seq <= seq) this.#ahead -= this.#sent.shift()?.size ?? 0;
    if (this.#ahead >= EDITOR_AHEAD_BYTES) return;
    this.#room?.resolve();
    this.#room = undefined;
  }

  /** Undefined: now. */
  room(): Promise<void> | undefined {
    if (this.#isDropped || this.#ahead < EDITOR_AHEAD_BYTES) return undefined;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /** Nobody wants the rest of the data. */
  drop(): void {
    this.#isDropped = true;
    this.#room?.resolve();
    this.#room = undefined;
  }
}
