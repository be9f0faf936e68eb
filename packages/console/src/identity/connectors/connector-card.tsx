/** One provider: who it is, how many sign in through it and when somebody last did, and what is wrong with it. */
import type { ConnectorItem } from '@gatehouse/contract/identity/connectors/connectors';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Badge } from '@gatehouse/design/badge';
import { Icon } from '@gatehouse/design/icon';
import { IconButton } from '@gatehouse/design/icon-button';
import { Menu, MenuItem, MenuSeparator } from '@gatehouse/design/menu';
import { providerIcon } from '@gatehouse/design/provider-icon';
import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import CirclePause from 'lucide-react/icons/circle-pause';
import Ellipsis from 'lucide-react/icons/ellipsis';
import FlaskConical from 'lucide-react/icons/flask-conical';
import Pencil from 'lucide-react/icons/pencil';
import Trash2 from 'lucide-react/icons/trash-2';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { asSentence, formatNumber, formatRelative } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { PathLink, useFollow } from '../../platform/routing/routing.tsx';
import { usePageConfig, useUser } from '../../platform/sign-in/user.ts';
import { providerHost } from './connector-facts.ts';
import { connectorPath } from './connector-paths.ts';
import { titleOf } from './connector-queries.ts';
import styles from './connectors.module.css';

interface ConnectorCardProps {
  item: ConnectorItem;
  onDelete: () => void;
}

export function ConnectorCard({ item, onDelete }: ConnectorCardProps) {
  const t = useTranslate();
  const { now } = useBrowser();
  const isFirst = useIsFirst(item);
  const kind = t(`connectors.kind-${item.kind}`);
  const host = providerHost(item);
  return (
    <article className={styles.card} data-card={item.id} data-off={item.enabled === false || undefined}>
      <header className={styles.cardHead}>
        <span className={styles.tile}>
          <Icon of={providerIcon({ ...item, type: item.kind, displayName: item.display })} size={20} />
        </span>
        <div className={styles.cardName}>
          <h2>
            <PathLink path={connectorPath(item)} className={styles.cardLink}>
              {titleOf(item)}
            </PathLink>
          </h2>
          <p>{host ? t('connectors.kind-at', { kind, host }) : kind}</p>
        </div>
        <span className={styles.cardEnd}>
          {item.enabled === false && <Badge>{t('connectors.off')}</Badge>}
          <CardMenu item={item} onDelete={onDelete} />
        </span>
      </header>
      <div className={styles.middle}>
        <dl className={styles.numbers}>
          <div>
            <dt>{t('connectors.users', { count: item.users ?? 0 })}</dt>
            <dd>{formatNumber(item.users ?? 0)}</dd>
          </div>
          <div className={styles.when}>
            <dt>{t('connectors.last-sign-in')}</dt>
            <dd>
              {item.lastSignIn ? (
                <span title={formatDateTime(item.lastSignIn)}>
                  {formatRelative(Date.parse(item.lastSignIn), now())}
                </span>
              ) : (
                t('connectors.never')
              )}
            </dd>
          </div>
        </dl>
        {isFirst && <Badge tone="brand">{t('connectors.first')}</Badge>}
      </div>
      <Trouble item={item} />
    </article>
  );
}

function Trouble({ item }: { item: ConnectorItem }) {
  const t = useTranslate();
  const note = item.notes?.[0];
  if (item.trouble) {
    return (
      <p className={styles.trouble} data-tone="bad">
        <Icon of={CircleAlert} />
        <span>{asSentence(item.trouble)}</span>
      </p>
    );
  }
  if (note !== undefined) {
    return (
      <p className={styles.trouble} data-tone="warn">
        <Icon of={CircleAlert} />
        <span>{asSentence(note)}</span>
      </p>
    );
  }
  return (
    <p className={styles.trouble}>
      <Icon of={item.enabled === false ? CirclePause : CircleCheck} />
      <span>{t(item.enabled === false ? 'connectors.is-off' : 'connectors.well')}</span>
    </p>
  );
}

function CardMenu({ item, onDelete }: ConnectorCardProps) {
  const t = useTranslate();
  const follow = useFollow();
  const { edit, remove } = useUser().userAcl.authConnectors;
  if (!edit && !remove) return null;
  return (
    <Menu trigger={<IconButton icon={Ellipsis} label={t('connectors.actions', { name: titleOf(item) })} />}>
      {edit && (
        <>
          <MenuItem icon={Pencil} onSelect={() => follow(connectorPath(item))}>
            {t('connectors.edit')}
          </MenuItem>
          <MenuItem icon={FlaskConical} onSelect={() => follow(connectorPath(item, 'test'))}>
            {t('connectors.test')}
          </MenuItem>
        </>
      )}
      {remove && (
        <>
          <MenuSeparator />
          <MenuItem icon={Trash2} tone="danger" onSelect={onDelete}>
            {t('connectors.delete')}
          </MenuItem>
        </>
      )}
    </Menu>
  );
}

/** The way in that the login page leads with. */
function useIsFirst({ kind, name }: ConnectorItem): boolean {
  const { auth } = usePageConfig();
  const [first] = auth.providers;
  return auth.authType === kind && first?.name === name;
}
