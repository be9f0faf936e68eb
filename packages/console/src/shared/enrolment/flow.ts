/** What enrolling must know of a kind: its cards on the first step, and its own parts of the steps, fetched when a card is chosen. */
import type { Acl } from '@gatehouse/contract/access/acl';
import type { IconComponent } from '@gatehouse/design/icon';
import type { ComponentType } from 'react';
import type { Api } from '../../platform/api/api.ts';
import type { Area, WordId } from '../../platform/i18n/words.ts';
import type { JoinToken } from './join-token.ts';
import type { JoinWords } from './join-words.ts';

export const FLOW_STEPS = ['where', 'describe', 'run', 'principals', 'test', 'done'] as const;
export type FlowStep = (typeof FLOW_STEPS)[number];

/** What was typed and chosen, as the tab keeps it: no token and no secret. Whoever reads a part checks it first: an older page may have written it. */
export type Kept = Readonly<Record<string, unknown>>;

/** Something somebody may have: a card of the first step. */
export interface FlowCard {
  /** In the address. */
  id: string;
  /** The heading it stands under; cards of one heading follow each other. */
  group: WordId;
  /** What the counted events call it. */
  resource: `DISCOVER_RESOURCE_${string}`;
  title: WordId;
  text: WordId;
  /** What else people call it: the search finds it by that too. */
  also: WordId;
  icon: IconComponent;
  may: (acl: Acl) => boolean;
  /** A machine itself: the one that the gateway runs on may be the first. */
  isMachine?: true;
  /** One command enrols any number of it. */
  several?: true;
  /** What is chosen with it. */
  first?: Kept;
}

export interface KindFlows {
  cards: readonly FlowCard[];
  words: readonly Area[];
  load: () => Promise<FlowCode>;
}

export interface FlowWay {
  value: string;
  label: WordId;
  hint: WordId;
  may: (acl: Acl) => boolean;
  steps: readonly FlowStep[];
  /** What is asked together with it. Without it nothing is. */
  More?: ComponentType;
  /** Of these cards alone. Without it of all of them. */
  cards?: readonly string[];
  /** Why it cannot go on yet. */
  lacks?: (kept: Kept) => WordId | undefined;
}

/** Something that has joined, as lists name it. */
export interface JoinedThing {
  /** What addresses and questions call it. */
  id: string;
  name: string;
}

/** A token as the address and the tab may keep it: what finds what joined by it, and not what joins. */
export interface WatchedToken {
  id: string;
  resourceId: string;
  expires: string;
}

/** Of every script that installs an agent. */
export const AGENT_DOES = ['discover.does-installs', 'discover.does-key', 'discover.does-dry'] as const;

/** What changes the machine itself is no use in a container. */
export type CommandForms = 'none' | 'on-machines' | 'everywhere';

export interface FlowJoining {
  words: JoinWords;
  make: (api: Api, kept: Kept, uses: number | undefined) => Promise<JoinToken>;
  command: (token: JoinToken, kept: Kept) => string;
  /** What it does in general, where that is not to install an agent. */
  lead?: WordId;
  /** What it does there, and what can be asked of it, one sentence each. */
  does: (kept: Kept) => readonly WordId[];
  /** Where the command may be given as other tools want it. */
  forms: (kept: Kept) => CommandForms;
  /** What is done before the command is run. */
  Before?: ComponentType<{ token: JoinToken }>;
  /** The ways without the command. */
  Manual?: ComponentType<{ token: JoinToken }>;
  useJoined: (clusterId: string, tokens: readonly WatchedToken[]) => readonly JoinedThing[];
  /** What joined is what was wanted; where an agent only leads to it, it is described afterwards. */
  isTheThing: boolean;
}

interface ThingProps {
  clusterId: string;
  /** What addresses call it. */
  id: string;
}

/** The steps' own parts. */
export interface FlowCode {
  /** The first that may be taken is taken first; where there is one there is nothing to choose. */
  ways: readonly FlowWay[];
  Describe: ComponentType;
  joining?: FlowJoining;
  /** What it is called, where addresses call it otherwise: by a link nothing is known of it but its id. */
  useName?: (clusterId: string, id: string | undefined) => string | undefined;
  /** What names on it are called, in the line of steps. */
  principals: WordId;
  /** Of what was typed, by the field of a role: nobody types a name twice. */
  typedNames?: (kept: Kept) => Readonly<Record<string, string>>;
  Test: ComponentType<ThingProps>;
  /** The way into it. */
  Open: ComponentType<ThingProps>;
}
