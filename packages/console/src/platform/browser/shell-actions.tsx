/** What any private screen may ask of the shell around it. */

import type { PageName } from '@gatehouse/contract/console/pages';
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { createContext, type ReactNode, use } from 'react';

/** What a question about access is about, where that is known. */
export interface WhyAbout {
  resource: { kind: Kind; id: string; name: string };
  /** The account on it. */
  as?: string;
  /** Why there is no name at all to connect under. */
  anyName?: true;
  /** Who can reach it, and not whether somebody can. */
  who?: true;
}

export interface ShellActions {
  /** Ends the sign-in and leaves for the login page. */
  signOut: () => void;
  /** Leaves for the page at which the provider ends its own instead. */
  signOutAt: (provider: string) => void;
  showKeys: () => void;
  openPalette: () => void;
  /** Asks whether somebody can reach something, and why. */
  askWhy: (about?: WhyAbout) => void;
  /** Whether a page has a screen and this user may see it: nobody is led where nothing is. */
  mayOpen: (page: PageName) => boolean;
}

const ShellActionsContext = createContext<ShellActions | undefined>(undefined);

export function ShellActionsProvider({ actions, children }: { actions: ShellActions; children: ReactNode }) {
  return <ShellActionsContext value={actions}>{children}</ShellActionsContext>;
}

export function useShellActions(): ShellActions {
  const actions = use(ShellActionsContext);
  if (!actions) throw new Error('useShellActions outside of the shell');
  return actions;
}
