/** The screens of every kind. Apart from the kinds' rows, because it is read before a screen is fetched, and they are not. */
import type { PageName } from '@gatehouse/contract/console/pages';
import type { KindPage } from '@gatehouse/contract/kinds/kinds';
import type { BuiltScreen } from '../platform/routing/screen.ts';
import { appScreen, launchScreen } from './app/app-screen.ts';
import { dbScreen, workbenchScreen } from './db/db-screen.ts';
import { desktopScreen, desktopSessionScreen } from './desktop/desktop-screen.ts';
import { kubeBrowseScreen, kubeScreen } from './kube/kube-screen.ts';
import { filesScreen, nodeScreen } from './node/node-screen.ts';

export const KIND_SCREENS = {
  nodes: nodeScreen,
  files: filesScreen,
  apps: appScreen,
  launch: launchScreen,
  kubernetes: kubeScreen,
  kube: kubeBrowseScreen,
  databases: dbScreen,
  workbench: workbenchScreen,
  desktops: desktopScreen,
  desktop: desktopSessionScreen,
} as const satisfies Record<KindPage, BuiltScreen> & Partial<Record<PageName, unknown>>;
