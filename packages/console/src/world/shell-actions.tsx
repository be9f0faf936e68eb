/** What any private screen may ask of the shell around it. */
import { createContext, type ReactNode, use } from 'react';

export interface ShellActions {
  /** Ends the sign-in and leaves for the login page. */
  signOut: () => void;
  showKeys: () => void;
  openPalette: () => void;
  /** Asks whether somebody can reach something, and why. */
  askWhy: () => void;
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
