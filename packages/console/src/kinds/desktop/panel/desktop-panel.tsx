/** One desktop beside the list: how it is reached and known, whose passwords are stored, and the ways to change it. */
import { type DesktopDetails, desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import type { Label } from '@gatehouse/contract/std/labels';
import { Button } from '@gatehouse/design/button';
import { type Detail, DetailsList } from '@gatehouse/design/details-list';
import { LabelChip } from '@gatehouse/design/label-chip';
import { Notice } from '@gatehouse/design/notice';
import { Panel } from '@gatehouse/design/panel';
import { Spinner } from '@gatehouse/design/spinner';
import { TabPanel, Tabs } from '@gatehouse/design/tabs';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import Pencil from 'lucide-react/icons/pencil';
import Trash2 from 'lucide-react/icons/trash-2';
import { useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { failureWords, refusalOf } from '../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { AskDialog } from '../../../shared/access-questions/ask-dialog.tsx';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import { CopyValue } from '../../../shared/resource-panel/copy-value.tsx';
import shared from '../../../shared/resource-panel/resource-panel.module.css';
import { ConnectCell } from '../connect/connect-cell.tsx';
import type { Connecting } from '../connect/desktop-logins.ts';
import { desktopQuery } from '../desktop-queries.ts';
import { DesktopStatus } from '../desktop-status.tsx';
import styles from '../desktops.module.css';
import { CertificateSection } from './certificate-section.tsx';
import { StoredPasswords } from './stored-passwords.tsx';
import { TestDesktop } from './test-desktop.tsx';

interface DesktopPanelProps {
  clusterId: string;
  name: string;
  isPicked: (label: Label) => boolean;
  onPick: (label: Label) => void;
  connecting: Connecting;
  tab: string | undefined;
  onTab: (tab: string | undefined) => void;
  onEdit: (name: string) => void;
  onClose: () => void;
}

export function DesktopPanel(props: DesktopPanelProps) {
  const { clusterId, name, tab, isPicked, onPick, connecting, onTab, onEdit, onClose } = props;
  const t = useTranslate();
  const api = useApi();
  const found = useQuery(desktopQuery(api, clusterId, name));
  const isGone = refusalOf(found.error)?.code === 'not_found';
  const details = isGone ? undefined : found.data;
  return (
    <Panel
      label={t('desktop-panel.title', { name })}
      title={name}
      actions={details && <ConnectCell desktop={details.item} connecting={connecting} />}
      onClose={onClose}
      className={shared.panel}
    >
      {found.error && (
        <Notice tone={isGone ? 'warn' : 'bad'}>
          {isGone ? t('desktops.gone', { name }) : failureWords(t, found.error)}
        </Notice>
      )}
      {found.isPending && <Spinner />}
      {details && <DesktopTabs {...{ clusterId, details, tab, isPicked, onPick, onTab, onEdit }} onGone={onClose} />}
    </Panel>
  );
}

interface DesktopTabsProps extends Omit<DesktopPanelProps, 'name' | 'connecting' | 'onClose'> {
  details: DesktopDetails;
  onGone: () => void;
}

function DesktopTabs({ clusterId, details, tab, isPicked, onPick, onTab, onEdit, onGone }: DesktopTabsProps) {
  const t = useTranslate();
  const { userAcl } = useUser();
  const { name, labels, gatehouse } = details.item;
  const tabs = (['facts', 'test'] as const).filter((each) => each === 'facts' || userAcl.connectionDiagnostic.create);
  const shown = tabs.find((each) => each === tab) ?? 'facts';
  return (
    <Tabs
      label={name}
      value={shown}
      onValueChange={(next) => onTab(next === 'facts' ? undefined : next)}
      tabs={tabs.map((value) => ({ value, label: t(`desktop-panel.tab-${value}`) }))}
    >
      <TabPanel value="facts" className={shared.tab}>
        <DesktopFacts details={details} />
        <section className={styles.part}>
          <h3 className={shared.heading}>{t('desktops.labels')}</h3>
          <div className={shared.labels}>
            {labels.map((label) => (
              <LabelChip key={label.name} {...label} active={isPicked(label)} onClick={() => onPick(label)} />
            ))}
            {labels.length === 0 && <span className={shared.faint}>{t('desktop-panel.none')}</span>}
          </div>
        </section>
        <CertificateSection {...{ clusterId, details }} mayEdit={userAcl.desktops.edit} />
        {userAcl.desktops.edit && (
          <section className={styles.part}>
            <h3 className={shared.heading}>{t('desktop-panel.passwords')}</h3>
            <StoredPasswords clusterId={clusterId} details={details} />
          </section>
        )}
        <div className={styles.ends}>
          {gatehouse?.source === 'entered' && userAcl.desktops.edit && (
            <Button icon={Pencil} onClick={() => onEdit(name)}>
              {t('desktop-panel.edit')}
            </Button>
          )}
          <RemoveDesktop clusterId={clusterId} details={details} onGone={onGone} />
        </div>
      </TabPanel>
      <TabPanel value="test" className={shared.tab}>
        <TestDesktop clusterId={clusterId} details={details} />
      </TabPanel>
    </Tabs>
  );
}

function DesktopFacts({ details }: { details: DesktopDetails }) {
  const t = useTranslate();
  const { item, addr, protocol, domain, askPassword, agent } = details;
  const facts: (Detail | false)[] = [
    { name: t('desktops.status'), value: <DesktopStatus desktop={item} /> },
    { name: t('desktops.address'), value: <CopyValue value={addr} name={t('desktops.address')} /> },
    { name: t('desktop-panel.protocol'), value: protocol.toUpperCase() },
    protocol === 'rdp' && {
      name: t('desktop-panel.domain'),
      value: domain === '' ? t('desktop-panel.local') : domain,
    },
    {
      name: t('desktop-panel.logins'),
      value: item.logins.length === 0 ? t('desktop-panel.none') : item.logins.join(', '),
    },
    { name: t('desktop-panel.ask'), value: t(askPassword ? 'desktop-panel.ask-yes' : 'desktop-panel.ask-no') },
    item.gatehouse !== undefined && {
      name: t('desktop-panel.source'),
      value: t(`desktop-panel.source-${item.gatehouse.source}`),
    },
    {
      name: t('desktop-panel.through'),
      value: !agent
        ? t(item.gatehouse?.through ? 'desktop-panel.through-agent' : 'desktop-panel.through-gateway')
        : agent.connected
          ? agent.name
          : t('desktop-panel.agent-away', { name: agent.name }),
    },
  ];
  return <DetailsList details={facts.filter((fact) => fact !== false)} />;
}

interface RemoveDesktopProps {
  clusterId: string;
  details: DesktopDetails;
  onGone: () => void;
}

/** One that an agent announces would be back at once, so it goes with it. */
function RemoveDesktop({ clusterId, details: { item }, onGone }: RemoveDesktopProps) {
  const t = useTranslate();
  const api = useApi();
  const queries = useQueryClient();
  const { userAcl } = useUser();
  const [isAsking, setAsking] = useState(false);
  const { name } = item;
  if (!userAcl.desktops.remove) return null;
  if (item.gatehouse?.source === 'agent') return <p className={styles.lead}>{t('desktop-panel.remove-agent-text')}</p>;
  const remove = async () => {
    await api(desktopRoutes.remove, { params: { clusterId, name } });
    await queries.invalidateQueries({ queryKey: [RESOURCES] });
  };
  return (
    <>
      <Button tone="danger" icon={Trash2} onClick={() => setAsking(true)}>
        {t('desktop-panel.remove')}
      </Button>
      {isAsking && (
        <AskDialog
          title={t('desktop-panel.remove-title', { name })}
          confirmWord={t('desktop-panel.remove')}
          run={remove}
          done={t('desktop-panel.removed', { name })}
          onClose={() => setAsking(false)}
          onDone={onGone}
        >
          {t('desktop-panel.remove-text', { name })}
        </AskDialog>
      )}
    </>
  );
}
