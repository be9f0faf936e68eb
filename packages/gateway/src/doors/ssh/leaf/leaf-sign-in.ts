/** The last step of being let in: a server of another cluster is reached before, because that cluster may ask for a code. */
import type { AuthContext } from 'ssh2';
import { askForCode } from '../ask-for-factor.ts';
import type { SshDoorDeps } from '../door-deps.ts';
import type { Person } from '../prove-person.ts';
import { findLeafServer } from './find-leaf-server.ts';
import { LeafServer } from './leaf-server.ts';

interface Entering {
  person: Person;
  /** What the program calls itself. */
  name: string;
  /** Where it jumped to. */
  host: string | undefined;
}

export class LeafSignIn {
  readonly #deps: SshDoorDeps;
  #leaf: LeafServer | undefined;
  #asks = false;
  #isClosed = false;

  constructor(deps: SshDoorDeps) {
    this.#deps = deps;
  }

  /** Undefined: the server is one of this cluster, or none. */
  get leaf(): LeafServer | undefined {
    return this.#leaf;
  }

  /** For a code: whoever comes next brings it. */
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
    if (leaf && stage === 'asks' && context.method === 'keyboard-interactive')
      stage = await leaf.answer(await askForCode(context, leaf.found.cluster));
    this.#asks = stage === 'asks';
    if (!this.#asks) return context.accept();
    context.reject(['keyboard-interactive'], true);
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
