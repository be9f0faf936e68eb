/** What the console must know about a kind of resource, beside the facts of the contract. Its code is fetched when it is needed. */
import type { KINDS, Kind } from '@gatehouse/contract/kinds/kinds';
import type { IconComponent } from '@gatehouse/design/icon';
import type { WordId } from '../../platform/i18n/words.ts';
import type { BuiltScreen } from '../../platform/routing/screen.ts';
import type { KindPalette } from '../palette/kind-palette.ts';

type RoleField<K extends Kind> = (typeof KINDS)[K]['principals'][number]['field'];

/** All of them in the row of one kind; of a row whose kind is not known, some. */
type NameWords<K extends Kind> = { readonly [F in RoleField<K>]: WordId | null };

/** The fields of roles that are about a kind, by what people call them. `null`: such names stand only in the text. */
interface RoleWords<K extends Kind> {
  labels: WordId;
  names: Kind extends K ? Partial<NameWords<K>> : NameWords<K>;
  /** Under the names, where they decide less than one would think. */
  hints?: Readonly<Partial<Record<string, WordId>>>;
}

export interface RoleSection<K extends Kind> extends RoleWords<K> {
  title: WordId;
  /** Options that only sessions with this kind have. */
  switches?: readonly { option: string; label: WordId; standard: boolean }[];
  /** The same, of which there are more than on and off. */
  choices?: readonly { option: string; label: WordId; options: readonly { value: string; label: WordId }[] }[];
  /** What the form lets a role forbid; `null`: only the text does. */
  never: RoleWords<K> | null;
}

export interface ConsoleKind<K extends Kind = Kind> {
  /** Also tells whether the kind is built: until then its screen has a plan, and the role form folds it away. */
  screen: BuiltScreen;
  icon: IconComponent;
  /** Of sessions with it, where they look like something else. */
  sessionIcon?: IconComponent;
  /** In the navigation, and above what the palette finds. */
  label: WordId;
  /** The card that one more of it is enrolled by; `null`: there are several, and one is chosen first. */
  flow: string | null;
  /** Leads to its screen after `g`. */
  key: string;
  /** How many the user sees, beside the entry of the navigation; `null`: none is told there. */
  useCount: ((clusterId: string) => number | undefined) | null;
  /** Its sessions are terminals that this console can join. */
  hasTerminals: boolean;
  /** Where others see what is done in its sessions, where those are no terminals. */
  watchPage?: 'watchDb';
  /** Where its sessions are both had and joined, in every mode. */
  joinPage?: 'desktop';
  /** The name in its screen's address that finds one by what events call it. */
  foundBy: 'open' | 'search';
  role: RoleSection<K>;
  /** Finds some of it in the palette, and says what can be done with it there; `null`: none is found. */
  palette: (() => Promise<KindPalette>) | null;
}

export type ConsoleKinds = { readonly [K in Kind]: ConsoleKind<K> };
