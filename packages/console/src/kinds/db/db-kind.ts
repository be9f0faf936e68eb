/** Databases in the console. */
import { dbKind as facts } from '@gatehouse/contract/kinds/db/db-kind';
import Database from 'lucide-react/icons/database';
import { fetchCode } from '../../platform/code/fetch-code.ts';
import type { ConsoleKind } from '../../shared/kinds/console-kind.ts';
import { useLaterCount } from '../../shared/resource-list/resource-queries.ts';
import { dbScreen } from './db-screen.ts';

const fetchDatabases = () => fetchCode(() => import('./db-queries.ts')).then((file) => file.DATABASES);

export const dbKind: ConsoleKind<'db'> = {
  screen: dbScreen,
  icon: Database,
  label: 'shell.databases',
  flow: null,
  key: 'd',
  useCount: (clusterId) => useLaterCount(facts.path, fetchDatabases, clusterId),
  hasTerminals: false,
  watchPage: 'watchDb',
  foundBy: 'search',
  role: {
    title: 'roles.section-databases',
    labels: 'roles.db-labels',
    names: { db_users: 'roles.db-users', db_names: 'roles.db-names', db_roles: 'roles.db-roles' },
    hints: { db_names: 'roles.db-names-hint', db_roles: 'roles.db-roles-hint' },
    never: null,
    choices: [
      {
        option: 'create_db_user_mode',
        label: 'roles.db-makes',
        options: [
          { value: 'off', label: 'roles.db-makes-off' },
          { value: 'keep', label: 'roles.db-makes-keep' },
          { value: 'best_effort_drop', label: 'roles.db-makes-drop' },
        ],
      },
    ],
    switches: [
      { option: 'db_read_only', label: 'roles.db-read-only', standard: false },
      { option: 'db_approval', label: 'roles.db-approval', standard: false },
      { option: 'db_export', label: 'roles.db-export', standard: true },
    ],
  },
  palette: () => fetchCode(() => import('./connect/palette-databases.ts')).then((file) => file.dbPalette),
};
