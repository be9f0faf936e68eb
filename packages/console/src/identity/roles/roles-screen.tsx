/** Manage Roles: what each role is for and who holds it; one of them opened is an editor of its own. */

import { Button } from '@gatehouse/design/button';
import { Spinner } from '@gatehouse/design/spinner';
import { StatusCard } from '@gatehouse/design/status-card';
import { Suspense, useMemo } from 'react';
import { lazyPart } from '../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useRoles, useUsers } from '../../shared/access-questions/access-queries.ts';
import { descriptionIn } from '../../shared/access-questions/role-description.ts';
import { type ListActions, type ListAddress, useListAddress } from '../../shared/resource-list/list-search-params.ts';
import styles from './roles.module.css';
import { type RoleRow, RolesList } from './roles-list.tsx';

/** The editor and the reader of YAML come with the first role that is opened. */
const OneRole = lazyPart(() => import('./one-role.tsx').then((file) => file.OneRole));

export function RolesScreen() {
  const [address, actions] = useListAddress(['name', 'holders']);
  const roles = useRoles();
  const users = useUsers().data;
  const rows = useMemo(
    () =>
      (roles.data ?? []).map(
        (role): RoleRow => ({
          ...role,
          description: descriptionIn(role.content),
          holders: users?.filter((user) => user.roles.includes(role.name)).map(({ name }) => name),
        }),
      ),
    [roles.data, users],
  );
  if (roles.isError && !roles.data) throw roles.error;
  if (address.open === undefined && address.doing !== 'new') {
    return <RolesList rows={rows} query={roles} address={address} actions={actions} />;
  }
  if (!roles.data) return <Waiting />;
  return (
    <Suspense fallback={<Waiting />}>
      <Opened rows={rows} address={address} actions={actions} />
    </Suspense>
  );
}

function Waiting() {
  return (
    <div className={styles.waiting}>
      <Spinner size="large" />
    </div>
  );
}

interface OpenedProps {
  rows: readonly RoleRow[];
  address: ListAddress;
  actions: ListActions;
}

function Opened({ rows, address, actions }: OpenedProps) {
  const t = useTranslate();
  const isNew = address.doing === 'new';
  const row = rows.find(({ name }) => name === address.open);
  if (!isNew && !row) {
    return (
      <div className={styles.waiting}>
        <StatusCard
          title={t('roles.unknown', { role: address.open ?? '' })}
          actions={<Button onClick={() => actions.openRow(undefined)}>{t('roles.all')}</Button>}
        >
          {t('roles.unknown-text')}
        </StatusCard>
      </div>
    );
  }
  return (
    <OneRole
      key={isNew ? `new ${address.open ?? ''}` : address.open}
      row={isNew ? undefined : row}
      copyOf={isNew ? row?.content : undefined}
      address={address}
      actions={actions}
    />
  );
}
