/** One user beside the list: roles and traits to edit, what is signed in as them, what they can reach. */

import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Avatar } from '@gatehouse/design/avatar';
import { Button } from '@gatehouse/design/button';
import { ONE_LINE } from '@gatehouse/design/class-names';
import { Notice } from '@gatehouse/design/notice';
import { Panel } from '@gatehouse/design/panel';
import { TabPanel, Tabs } from '@gatehouse/design/tabs';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { ReachTab } from '../../shared/access-questions/reach-tab.tsx';
import { LockNotice } from '../../shared/locking/lock-notice.tsx';
import { SignInsTab } from './sign-ins-tab.tsx';
import { UserActions, type UserActionsState, useUserActions } from './user-actions.tsx';
import type { UserRow } from './user-facts.ts';
import { UserForm } from './user-form.tsx';
import styles from './users.module.css';

interface UserPanelProps {
  row: UserRow;
  /** From the address. */
  tab: string | undefined;
  onTab: (tab: string | undefined) => void;
  onClose: () => void;
}

const TABS = ['rights', 'sign-ins', 'reach'] as const;
type Tab = (typeof TABS)[number];

export function UserPanel({ row, tab: given, onTab, onClose }: UserPanelProps) {
  const t = useTranslate();
  const { userName, userAcl } = useUser();
  const tabs = TABS.filter((tab) => tab !== 'reach' || (userAcl.roles.read && userAcl.users.read));
  const tab: Tab = tabs.find((each) => each === given) ?? 'rights';
  const actions = useUserActions(row, onClose);
  return (
    <Panel
      label={t('users.panel', { user: row.name })}
      title={
        <span className={styles.title}>
          <Avatar name={row.name} self={row.name === userName} />
          <span className={ONE_LINE}>{row.name}</span>
        </span>
      }
      actions={<UserActions actions={actions} row={row} />}
      onClose={onClose}
      className={styles.panel}
    >
      <UserNotices row={row} actions={actions} mayEdit={userAcl.users.edit} />
      <Tabs
        label={row.name}
        value={tab}
        onValueChange={(next) => onTab(next === 'rights' ? undefined : next)}
        tabs={tabs.map((value) => ({ value, label: t(`users.tab-${value}`) }))}
      >
        <TabPanel value="rights" className={styles.tab}>
          <UserForm row={row} />
        </TabPanel>
        <TabPanel value="sign-ins" className={styles.tab}>
          <SignInsTab row={row} onEndAll={() => actions.start('end')} />
        </TabPanel>
        <TabPanel value="reach" className={styles.tab}>
          <ReachTab user={row.name} />
        </TabPanel>
      </Tabs>
      {actions.dialog}
    </Panel>
  );
}

interface UserNoticesProps {
  row: UserRow;
  actions: UserActionsState;
  mayEdit: boolean;
}

function UserNotices({ row, actions, mayEdit }: UserNoticesProps) {
  const t = useTranslate();
  const isLeftBehind = row.state === 'left-behind';
  if (row.locks.length === 0 && !row.lockOut && !row.invited && !isLeftBehind) return null;
  return (
    <div className={styles.notices}>
      {row.locks.map((lock) => (
        <LockNotice key={lock.name} lock={lock} mayLift={mayEdit} />
      ))}
      {row.lockOut && (
        <Notice
          tone="warn"
          announce="none"
          title={t('users.locked-out')}
          actions={
            mayEdit && (
              <Button size="small" onClick={() => void actions.lift()}>
                {t('users.lift-lock-out')}
              </Button>
            )
          }
        >
          {t('users.locked-out-text', {
            count: row.lockOut.failures,
            address: row.lockOut.address,
            until: formatDateTime(row.lockOut.until),
          })}
        </Notice>
      )}
      {isLeftBehind && (
        <Notice tone="warn" announce="none" title={t('users.left-behind')}>
          {row.closedConnector === undefined
            ? t('users.left-behind-text', { connector: row.formerConnector ?? '' })
            : t('users.connector-off-text', { connector: row.closedConnector })}
        </Notice>
      )}
      {row.invited && (
        <Notice
          announce="none"
          title={t('users.invited')}
          actions={
            mayEdit && (
              <Button size="small" onClick={() => actions.start('link')}>
                {t('users.new-invite')}
              </Button>
            )
          }
        >
          {t('users.invited-text')}
        </Notice>
      )}
    </div>
  );
}
