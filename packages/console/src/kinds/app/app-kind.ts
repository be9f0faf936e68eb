/** Applications in the console. */
import AppWindow from 'lucide-react/icons/app-window';
import { fetchCode } from '../../platform/code/fetch-code.ts';
import type { ConsoleKind } from '../../shared/kinds/console-kind.ts';
import { appScreen } from './app-screen.ts';

export const appKind: ConsoleKind<'app'> = {
  screen: appScreen,
  icon: AppWindow,
  label: 'shell.apps',
  flow: 'app',
  key: 'a',
  useCount: null,
  hasTerminals: false,
  foundBy: 'search',
  role: {
    title: 'roles.section-apps',
    labels: 'roles.app-labels',
    names: { aws_role_arns: 'roles.aws-role-arns', azure_identities: null, gcp_service_accounts: null },
    never: null,
  },
  palette: () => fetchCode(() => import('./open/palette-apps.ts')).then((file) => file.appPalette),
};
