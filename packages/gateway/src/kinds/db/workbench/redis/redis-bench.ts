/** A workbench on Redis: a console, and what the keys have in them. */
import { EDITOR_TABS, type RedisValue } from '@gatehouse/contract/kinds/db/editor';
import { inlineWords } from '../../engine/redis/inline-words.ts';
import { KeptWords } from '../../engine/redis/kept-words.ts';
import { showCommand } from '../../engine/redis/show-command.ts';
import { isSubscribing } from '../../engine/redis/subscriptions.ts';
import type { Bench, BenchWire } from '../thread/bench.ts';
import { cancelled, type Job, Jobs } from '../thread/jobs.ts';
import { SqlError } from '../thread/sql-client.ts';
import type { BenchRequest } from '../thread/thread-messages.ts';
import { startTimer } from '../thread/time-spent.ts';
import { listKeys } from './list-keys.ts';
import { lookAtKey } from './look-at-key.ts';
import { RedisClient } from './redis-client.ts';
import { bytesOf } from './value-reader.ts';

const FIRST_DATABASE = '0';
/** Where the console and the list of keys meet: what is asked of keys has a connection of its own. */
const SIDE = EDITOR_TABS;

type RequestOf<Type extends BenchRequest['type']> = Extract<BenchRequest, { type: Type }>;

interface Line {
  opened: Promise<{ client: RedisClient; version: string }>;
  turn: Promise<unknown>;
}

export class RedisBench implements Bench {
  readonly #wire: BenchWire;
  readonly #jobs: Jobs;
  readonly #lines = new Map<number, Line>();
  /** Chosen last, in whichever tab: keys are listed there. */
  #database: string;
  /** Where each console is: its prompt says so, and a connection opened after the last one ended begins elsewhere. */
  readonly #places = new Map<number, string>();

  constructor(wire: BenchWire) {
    this.#wire = wire;
    this.#database = wire.terms.dbName === '' ? FIRST_DATABASE : wire.terms.dbName;
    this.#jobs = new Jobs((text) => wire.send(text));
    this.#line(0).opened.then(
      ({ version }) => wire.ready(version),
      (error: Error) => wire.failed(error.message),
    );
  }

  hear(request: BenchRequest): void {
    const answer = this.#answers[request.type] as ((request: BenchRequest) => void) | undefined;
    if (answer) answer(request);
    else if ('id' in request)
      void this.#jobs.do(request, async () => {
        throw new SqlError('bad_request', `'${request.type}' is nothing that this database understands`);
      });
  }

  readonly #answers: { [Type in BenchRequest['type']]?: (request: RequestOf<Type>) => void } = {
    command: (request) => this.#do(request, request.tab, (client, job) => this.#command(client, job, request)),
    keys: (request) =>
      this.#do(request, SIDE, async (client, job) => {
        await this.#follow(client);
        job.outlet.tell(await listKeys(client, request));
      }),
    key: ({ id, name, cursor }) =>
      this.#do({ id }, SIDE, async (client, job) => {
        await this.#follow(client);
        job.outlet.tell({ ...(await lookAtKey(client, bytesOf(name), cursor)), name });
      }),
    cancel: ({ id }) => this.#jobs.cancel(id),
    closeTab: ({ tab }) => {
      this.#places.delete(tab);
      this.#close(tab);
    },
    ack: () => {},
    close: () => {},
  };

  close(): void {
    for (const number of [...this.#lines.keys()]) this.#close(number);
  }

  #line(number: number): Line {
    const known = this.#lines.get(number);
    if (known) return known;
    const { dbName } = this.#wire.terms;
    const first = dbName === '' ? FIRST_DATABASE : dbName;
    // What is asked after it opens another.
    const forget = () => {
      if (this.#lines.get(number) === line) this.#lines.delete(number);
    };
    const opened = RedisClient.open(this.#wire.connect(), first, forget);
    const line: Line = { opened, turn: Promise.resolve() };
    this.#lines.set(number, line);
    opened.catch(forget);
    return line;
  }

  #close(number: number): void {
    const line = this.#lines.get(number);
    this.#lines.delete(number);
    line?.opened.then(
      ({ client }) => client.close(),
      () => {},
    );
  }

  /** In the turn of its line. Nothing but the end of its connection stops what runs. */
  #do(request: { id: number }, number: number, work: (client: RedisClient, job: Job) => Promise<void>): void {
    void this.#jobs.do(request, async (job) => {
      const line = this.#line(number);
      const done = line.turn.then(async () => {
        if (job.isCancelled) throw cancelled();
        const { client } = await line.opened;
        job.cancel = () => this.#close(number);
        if (job.isCancelled) throw cancelled();
        await work(client, job);
        this.#jobs.done(request.id);
      });
      line.turn = done.catch(() => {});
      await done;
    });
  }

  /** To where the console is. */
  async #follow(client: RedisClient): Promise<void> {
    const refusal = await goTo(client, this.#database);
    if (refusal) throw new SqlError('refused', refusal.value);
  }

  async #command(client: RedisClient, { outlet }: Job, { line, tab }: RequestOf<'command'>): Promise<void> {
    const words = inlineWords(Buffer.from(line));
    if (!words) throw new SqlError('bad_request', 'a quote does not end, or something stands right behind it');
    const name = words[0]?.toString('latin1').toUpperCase() ?? '';
    if (name === '') throw new SqlError('bad_request', 'there is no command in it');
    if (isSubscribing(name) || name === 'HELLO')
      throw new SqlError('bad_request', `${name} is not for this console: each command has one answer here`);
    const time = startTimer(client);
    const refusal = await goTo(client, this.#places.get(tab));
    if (refusal) {
      // It is not sent: it was meant for another database than the one that its prompt says from now on.
      this.#places.delete(tab);
      this.#database = client.database;
      outlet.tell({ type: 'reply', value: refusal, ms: time(), dbName: client.database });
      return;
    }
    const told = { at: Date.now(), sql: withoutSecrets(words, line) };
    try {
      const value = await client.ask(...words);
      if (name === 'SELECT' && value.is === 'status' && value.value === 'OK') this.#chosen(client, tab, words[1]);
      const ms = time();
      this.#wire.ran({ ...told, ms: ms.server, ...outcomeOf(value) });
      outlet.tell({ type: 'reply', value, ms, dbName: client.database });
    } catch (error) {
      this.#wire.ran({ ...told, ms: time().server, error: error instanceof Error ? error.message : 'it failed' });
      throw error;
    }
  }

  #chosen(client: RedisClient, tab: number, number: Buffer | undefined): void {
    client.database = number?.toString('latin1') ?? client.database;
    this.#database = client.database;
    this.#places.set(tab, client.database);
  }
}

/** Says why not, where it may not go there. */
async function goTo(
  client: RedisClient,
  database = client.database,
): Promise<Extract<RedisValue, { is: 'error' }> | undefined> {
  if (client.database === database) return undefined;
  const answer = await client.ask('SELECT', database);
  if (answer.is === 'error') return answer;
  client.database = database;
  return undefined;
}

function outcomeOf(value: RedisValue): { rows?: number; error?: string } {
  if (value.is === 'error') return { error: value.value };
  return value.is === 'list' || value.is === 'map' ? { rows: value.values.length + (value.left ?? 0) } : {};
}

/** As it was typed, where there is none in it. */
function withoutSecrets(words: readonly Buffer[], line: string): string {
  const kept = new KeptWords();
  kept.begin(words.length);
  for (const word of words) {
    kept.beginWord(word.length);
    kept.add(word, 0, word.length);
    kept.endWord();
  }
  const { query, hasSecret } = showCommand(kept, line.length);
  return hasSecret ? query.text : line;
}
