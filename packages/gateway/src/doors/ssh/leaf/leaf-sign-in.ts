/** The last step of being let in: a server of another cluster is reached before, because that cluster may ask for a second factor. */
import type { AuthContext } from 'ssh2';
import { askForLeaf, FACTOR_WORDS_WITHIN } from '../ask-for-factor.ts';
import type { SshDoorDeps } from '../door-deps.ts';
import { hasFactor, wordsOf } from '../door-words.ts';
import type { Person } from '../prove-person.ts';
import { findLeafServer } from './find-leaf-server.ts';
import { LeafServer } from './leaf-server.ts';

interface Entering {
  person: Person;
  /** What the program calls itself. */
  name: string;
  /** Where it jumped to. */
  host: string | undefined;
  address: string;
}

export class LeafSignIn {
  readonly #deps: SshDoorDeps;
  /** To who connects, beside what they are asked. */
  readonly #tell: (words: string) => void;
  #leaf: LeafServer | undefined;
  #asks = false;
  #isClosed = false;

  constructor(deps: SshDoorDeps, tell: (words: string) => void) {
    this.#deps = deps;
    this.#tell = tell;
  }

  /** Undefined: the server is one of this cluster, or none. */
  get leaf(): LeafServer | undefined {
    return this.#leaf;
  }

  /** For a second factor: whoever comes next brings it. */
  get asks(): boolean {
    return this.#asks;
  }

  /** What was asked for before, and is answered late, is not where somebody is led. */
  isFor(person: Person, name: string): boolean {
    return this.#leaf === undefined || this.#leaf.isFor(person, name);
  }

  async letIn(context: AuthContext, entering: Entering): Promise<void> {
    const leaf = await this.#reach(entering);
    let stage = (await leaf?.stage()) ?? 'in';
    if (leaf && stage === 'asks') {
      const answer = await this.#answerFor(leaf, context, entering);
      if (answer !== undefined) stage = await leaf.answer(answer);
      else if (!this.#asks) this.#tell(FACTOR_WORDS_WITHIN);
    }
    this.#asks = stage === 'asks';
    if (!this.#asks) return context.accept();
    context.reject(['keyboard-interactive'], true);
  }

  /** Undefined: nothing that it could be told yet. */
  async #answerFor(leaf: LeafServer, context: AuthContext, entering: Entering): Promise<string | undefined> {
    const { person, address } = entering;
    const vouched = () => leaf.found.leaf.vouch(person.caller);
    // They gave one for this very connection already, here or by approving it elsewhere, and a code is good once.
    if (!this.#asks && (person.limits || hasFactor(this.#deps, person))) return vouched();
    if (context.method !== 'keyboard-interactive') return undefined;
    const { server, cluster, login } = leaf.found;
    const wants = { login, server: `${server}.${cluster}` };
    try {
      const given = await askForLeaf(this.#deps, context, { who: person.caller, address, wants, cluster });
      return given === 'shown' ? vouched() : given.code;
    } catch (error) {
      this.#tell(`gatehouse: ${wordsOf(this.#deps, error)}`);
      return undefined;
    }
  }

  close(saidGoodbye: boolean): void {
    this.#isClosed = true;
    if (saidGoodbye) this.#leaf?.close();
    else this.#leaf?.lose();
  }

  async #reach({ person, name, host }: Entering): Promise<LeafServer | undefined> {
    if (this.#leaf?.isFor(person, name)) return this.#leaf;
    this.#leaf?.lose();
    this.#leaf = undefined;
    const actor = await person.caller.now();
    const found = await findLeafServer(this.#deps, actor, { name, host });
    if (!found) return undefined;
    const leaf = new LeafServer(found, { person, name });
    await leaf.begin(actor);
    if (this.#isClosed || this.#leaf) leaf.lose();
    else this.#leaf = leaf;
    return this.#leaf;
  }
}
