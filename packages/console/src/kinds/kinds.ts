/** The console's table of kinds. Navigation, palette, icons, role form, links of events and sessions read it; the compiler asks for the row of a new kind. */
import type { ConsoleKinds } from '../shared/kinds/console-kind.ts';
import { appKind } from './app/app-kind.ts';
import { dbKind } from './db/db-kind.ts';
import { desktopKind } from './desktop/desktop-kind.ts';
import { kubeKind } from './kube/kube-kind.ts';
import { nodeKind } from './node/node-kind.ts';

export const CONSOLE_KINDS: ConsoleKinds = {
  node: nodeKind,
  app: appKind,
  kube: kubeKind,
  db: dbKind,
  desktop: desktopKind,
};
