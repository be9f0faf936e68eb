/** What is told of a kind of resource, as data. Everything that lists, decides, explains, locks, records or shows reads it: nothing else in the product spells the kinds out. */
import type { Trait } from '../identity/users/traits.ts';

/** A name one connects by. */
export interface Principal {
  /** In a connect action; also in a question about access, unless `asked` says otherwise. */
  name: string;
  asked?: string;
  /** The field of roles that gives it. */
  field: string;
  /** What templates call the trait of a user that holds such names; the field's name without it. */
  trait?: string;
  /** What user records call that trait; without it, only sign-in providers give it. */
  userTrait?: Trait;
  /** Nobody connects without it. */
  required?: true;
  /** Locks on logins and `session.login` in conditions look at it. */
  login?: true;
  /** A list of names; several roles may each give some of them. */
  many?: true;
  /** `*` in what roles allow means any name. Elsewhere a star gives nothing: one brought along must not become everybody. */
  starAllows?: true;
  /** Names that begin so are never meant by the star: whoever may use one is given it by name. */
  starExcepts?: string;
  /** Asked together with this other name, and given by the same role. */
  with?: string;
  /** Nobody chooses it: whoever connects by the name that it goes with is given all of them. */
  given?: true;
  /** The one that is missing when somebody sees a thing and cannot connect. */
  main?: true;
  /** The field of a resource's spec that lists the only names it takes; without it, it takes any. */
  offeredIn?: string;
  /** Stands before the name when an action is told in words. */
  preposition?: string;
  /** What the call that tests a connection calls it; without it, a test knows no such name. */
  testedAs?: string;
}

/** A kind as data. */
export type KindFacts = OwnFacts & OfferedFacts;

/** What agents offer of it: the machine they run on, or what they reach, each by its name. The command of a join token names the script that sets such an agent up. */
export type OfferedFacts =
  | { offered: 'machine'; installScript: string; offeredAt?: never; matched?: never; fromFile?: never; fetched?: never }
  /**
   * `offeredAt`: what the command tells of it beside its name, which is where it is: a field of its item in the agent's file. `matched`: agents
   * also look after those that are entered at the gateway, by their labels; the script without a name sets up such a one. `fromFile`: without a
   * name the script sets up one whose file is there already, because it says where they are found. `fetched`: they are set up
   * by a file too that the gateway serves under the token, and that whoever made the token fetches.
   */
  | { offered: 'named'; installScript: string; offeredAt: string; matched?: true; fromFile?: true; fetched?: true }
  /** Agents offer none; a script only says so. */
  | { offered?: never; installScript?: string; offeredAt?: never; matched?: never; fromFile?: never; fetched?: never };

export interface OwnFacts {
  /** What one of them is called in sentences of the gateway; with an `s`, several. */
  noun: string;
  /** The last segment of the list call and of the screen's address; also the name of the screen's page. */
  path: string;
  /** Its group on the command line, where that is not its path. */
  command?: string;
  /** The acl group that lists it. */
  acl: string;
  /** Who may list it may add some, even without reading it. */
  listSuffices?: true;
  /** The feature flag that shows its screen. */
  flag: string;
  /** How a session with it is called on the wire. */
  sessionKind: string;
  /** The role of join tokens whose agents may offer it. */
  joinRole: string;
  /** Several agents may offer the same one: each is a way to it, and its name, and its public host where it has one, stays with the tokens that had it. */
  shared?: { hosts: boolean };
  /** The family of its audit events. */
  eventFamily: string;
  /** Its names in `rules.resources`. The first is the one `list` is checked against. */
  rules: readonly [string, ...string[]];
  /** The labels of roles that reach it. */
  labels: string;
  /** Elsewhere, roles of version v3 that leave its labels out give all of it. Kinds that came later are not given so. */
  givenByV3?: true;
  /** What it is called as the target of a lock; without it, it cannot be locked alone. */
  lockTarget?: string;
  /** What its documents are called; without it, what is entered is not written as one. */
  document?: string;
  /** In the order they are asked for. One role must give them together, unless `namesAddUp`. */
  principals: readonly Principal[];
  /** The target adds up what several roles give, as a cluster does with groups. */
  namesAddUp?: true;
  /** What a name may have its domain before: who is denied or locked without one is so in every domain. */
  domainMark?: string;
  /** The target does not tell `Root` from `root`: always, or as the action says. */
  ignoresCase?: 'always' | 'asked';
  /** Roles also say which of the objects inside may be used, and how. */
  hasObjects?: true;
  /** What a session with it is drawn as when it is played; `none`: of it only the audit log tells. */
  recording: 'terminal' | 'desktop' | 'statements' | 'none';
  /** The mode of its own in `record_session`; `default` without it. */
  recordingOption?: 'ssh' | 'db';
  /** The event that a recorded session with it ends with. Where kinds share one, `marked` is the field that only this kind fills. */
  recordedEnd?: { event: string; marked?: string };
  /** `max_sessions` counts those with one and the same thing. */
  countsSessions?: true;
  /** The option of roles that says how many somebody may have open at once; `max_connections` without it. */
  connectionLimit?: 'max_kubernetes_connections';
  /** People watch and help in its sessions. */
  joinable?: true;
  /** Where a session with it is opened so that others can watch it; without it, nobody can. */
  watchedAt?: string;
  /** Without any sort, lists of it say how many there are. */
  countsAlways?: true;
  /** Fields a list can be sorted by. */
  sortable: readonly string[];
  /** The field of its spec that holds the address it is dialled at, where it has one. */
  addressField?: string;
  /** The protocol it is reached by, in events. */
  proto?: string;
  /** What a refusal says somebody may not do: `sign in to`. */
  refusedVerb?: string;
  /** The steps in which a way to it is tested, in their order. A kind without them cannot be tested. */
  testSteps?: readonly string[];
  /** Those that need nothing that is saved, in which a way to one that is about to be added is tested. */
  draftSteps?: readonly string[];
  /** How the call that asks whether connecting takes a second factor names one: the part of its body, the field there that names it, what else must and may stand there. Without it the part is the kind, and the field `name`. */
  factorBody?: { part: string; name: string; must?: readonly string[]; may?: readonly string[] };
  /** In the fields of the audit log and of the API that name a session's target: `server_hostname`, `app_name`. */
  nameField: string;
  /** The field of the API that has the id of a session's target; without it, a session is told by the name alone. */
  idField?: string;
}

export function defineKind<const K extends KindFacts>(facts: K): K {
  return facts;
}
