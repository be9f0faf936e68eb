/** Applications in the console. */
import { appKind as facts } from '@gatehouse/contract/kinds/app/app-kind';
import AppWindow from 'lucide-react/icons/app-window';
import { fetchCode } from '../../platform/code/fetch-code.ts';
import type { ConsoleKind } from '../../shared/kinds/console-kind.ts';
import { useLaterCount } from '../../shared/resource-list/resource-queries.ts';
import { appScreen } from './app-screen.ts';

const fetchApps = () => fetchCode(() => import('./app-queries.ts')).then((file) => file.APPS);

export const appKind: ConsoleKind<'app'> = {
  screen: appScreen,
  icon: AppWindow,
  label: 'shell.apps',
  flow: 'app',
  key: 'a',
  useCount: (clusterId) => useLaterCount(facts.path, fetchApps, clusterId),
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
