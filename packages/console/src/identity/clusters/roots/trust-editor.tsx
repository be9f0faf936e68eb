/** One root: who it is, what its roles mean here, and beside them what saving would change. A new one is joined here too. */
import type { RoleMapEntry } from '@gatehouse/contract/reach/trusted-clusters/trusted-cluster-document';
import type { TrustedClusterItem } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { Button } from '@gatehouse/design/button';
import { IconButton } from '@gatehouse/design/icon-button';
import { Menu, MenuItem } from '@gatehouse/design/menu';
import { Notice } from '@gatehouse/design/notice';
import { Switch } from '@gatehouse/design/switch';
import { TokenInput } from '@gatehouse/design/token-input';
import Ellipsis from 'lucide-react/icons/ellipsis';
import Trash2 from 'lucide-react/icons/trash-2';
import { useEffect, useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useLeaveGuard } from '../../../platform/routing/leave-guard.ts';
import { useOwnUser } from '../../../platform/sign-in/user.ts';
import { ConflictDialog } from '../../../shared/document-editor/conflict-dialog.tsx';
import { DocumentScreen } from '../../../shared/document-editor/document-screen.tsx';
import { LeaveDialog } from '../../../shared/document-editor/leave-dialog.tsx';
import { changedFields, textsAt, valueAt } from '../../../shared/document-editor/read-document.ts';
import { useDraft } from '../../../shared/document-editor/use-draft.ts';
import { EffectsPane } from './effects-pane.tsx';
import { entriesIn, goneEntries, isNewOrChanged, MAP_PATH, wholeEntries } from './map-entries.ts';
import { MapRows } from './map-rows.tsx';
import { RemoveRootDialog } from './remove-root-dialog.tsx';
import { RootFacts } from './root-facts.tsx';
import { isRootWritten, RootFields } from './root-fields.tsx';
import { RootState } from './root-state.tsx';
import styles from './trust.module.css';
import { TryRole } from './try-role.tsx';
import { useMapPreview } from './use-map-preview.ts';
import { useSaveTrust } from './use-save-trust.ts';

const START = `kind: trusted_cluster
version: v2
metadata:
  name: ''
spec:
  enabled: true
  token: ''
  web_proxy_addr: ''
  root_key: ''
  role_map: []
`;

interface TrustEditorProps {
  /** As it is saved now; nothing while a root is being joined. */
  item: TrustedClusterItem | undefined;
  onBack: () => void;
  onSaved: (item: TrustedClusterItem) => void;
}

export function TrustEditor({ item, onBack, onSaved }: TrustEditorProps) {
  const t = useTranslate();
  const { edit, create, remove } = useOwnUser().userAcl.trustedClusters;
  const isNew = item === undefined;
  const mayEdit = isNew ? create : edit;
  const draft = useDraft(item, START);
  const entries = entriesIn(draft.value);
  const saved = entriesIn(draft.savedValue);
  const [tried, setTried] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [open, setOpen] = useState<'conflict' | 'remove'>();
  const answer = useMapPreview({ entries, tried, trust: item?.name });
  const leaving = useLeaveGuard(mayEdit && draft.isChanged);
  const isOvertaken = item !== undefined && draft.base !== undefined && item.revision !== draft.base.revision;
  const isEnabled = valueAt(draft.value, ['spec', 'enabled']) !== false;
  const wasEnabled = valueAt(draft.savedValue, ['spec', 'enabled']) !== false;
  const name = textsAt(draft.value, ['metadata', 'name'])[0] ?? '';
  const root = item?.rootName ?? item?.name ?? (name || t('trust.the-root'));
  const traits = textsAt(draft.value, ['spec', 'traits']);
  const isHalf = wholeEntries(entries).length < entries.length;
  const { save, isBusy, failure, question } = useSaveTrust({
    item,
    draft,
    onSaved: (next) => {
      draft.rebase(next, next.content);
      // A new one goes on at an address of its own.
      if (isNew) leaving.letGo();
      onSaved(next);
    },
    onConflict: () => setOpen('conflict'),
  });

  // Without changes of one's own, the newer version simply takes the old one's place.
  const { rebase } = draft;
  useEffect(() => {
    if (isOvertaken && !draft.isChanged && item) rebase(item, item.content);
  });

  /** One side of an entry: the other lines stay as somebody wrote them. */
  const setEntry = (place: number, change: Partial<RoleMapEntry>) =>
    draft.setFields(Object.entries(change).map(([side, value]) => [[...MAP_PATH, place, side], value]));
  const addEntry = (entry: RoleMapEntry) =>
    entries.length === 0 ? draft.setField(MAP_PATH, [entry]) : draft.setField([...MAP_PATH, entries.length], entry);
  const submit = () => {
    setChecked(true);
    if (isHalf || (isNew && !isRootWritten(draft.value))) return;
    void save();
  };
  const reason = isHalf
    ? t('trust.half-entry')
    : answer.wrong.size > 0
      ? t('trust.mend-first')
      : isOvertaken
        ? t('trust.overtaken')
        : t('document.nothing-changed');
  return (
    <DocumentScreen
      back={{ label: t('trust.all'), onBack }}
      title={item?.name ?? t('trust.join')}
      unsaved={item ? countChanges(draft, entries, saved) : 0}
      isReadOnly={!mayEdit}
      overtaken={
        isOvertaken && draft.isChanged
          ? { title: t('trust.overtaken'), onSeeBoth: () => setOpen('conflict') }
          : undefined
      }
      tools={
        <>
          {item && <RootState item={item} />}
          <div className={styles.actions}>
            {item && remove && (
              <Menu trigger={<IconButton icon={Ellipsis} label={t('trust.actions', { root: item.name })} />}>
                <MenuItem icon={Trash2} tone="danger" onSelect={() => setOpen('remove')}>
                  {t('trust.remove')}
                </MenuItem>
              </Menu>
            )}
            {item && mayEdit && draft.isChanged && (
              <Button tone="ghost" onClick={() => draft.rebase(item, item.content)}>
                {t('trust.discard')}
              </Button>
            )}
            {mayEdit && (
              <Button
                tone="primary"
                loading={isBusy}
                disabled={(!isNew && (!draft.isChanged || isHalf)) || answer.wrong.size > 0 || isOvertaken}
                disabledReason={reason}
                onClick={submit}
              >
                {t(isNew ? 'trust.join' : 'trust.save')}
              </Button>
            )}
          </div>
        </>
      }
    >
      <div className={styles.panes}>
        <div className={styles.form}>
          {failure && <Notice tone="bad">{failure}</Notice>}
          {item ? (
            <RootFacts item={item} />
          ) : (
            <section className={styles.part}>
              <div className={styles.partHead}>
                <h2>{t('trust.root')}</h2>
                <span>{t('trust.root-lead')}</span>
              </div>
              <RootFields value={draft.value} isChecked={isChecked} onFields={(fields) => draft.setFields(fields)} />
            </section>
          )}
          <section className={styles.part}>
            <div className={styles.partHead}>
              <h2>{t('trust.map')}</h2>
              <span>{t('trust.map-lead')}</span>
            </div>
            <MapRows
              root={root}
              entries={entries}
              saved={saved}
              isReadOnly={!mayEdit}
              wrong={answer.wrong}
              warnings={answer.preview?.warnings ?? []}
              onChange={setEntry}
              onAdd={addEntry}
              onRemove={(place) => draft.setField([...MAP_PATH, place], undefined)}
            />
          </section>
          <section className={styles.part}>
            <div className={styles.partHead}>
              <h2>{t('trust.try')}</h2>
              <span>{t('trust.try-lead')}</span>
            </div>
            <TryRole root={root} entries={entries} tried={tried} onTry={setTried} answer={answer} />
          </section>
          <section className={styles.part}>
            <div className={styles.partHead}>
              <h2>{t('trust.traits')}</h2>
              <span>{t('trust.traits-lead', { root })}</span>
            </div>
            <TokenInput
              label={t('trust.traits')}
              labelHidden
              className={styles.bare}
              disabled={!mayEdit}
              placeholder={traits.length === 0 ? t('trust.traits-like') : ''}
              value={traits}
              onValueChange={(next) => draft.setField(['spec', 'traits'], next.length === 0 ? undefined : next)}
            />
          </section>
          {item && (
            <section className={styles.part}>
              <Switch
                label={t('trust.enabled', { root })}
                checked={isEnabled}
                disabled={!mayEdit}
                onCheckedChange={(next) => draft.setField(['spec', 'enabled'], next)}
              />
            </section>
          )}
        </div>
        <EffectsPane
          answer={answer}
          isNew={isNew}
          isShut={!isNew && wasEnabled && !isEnabled}
          visitors={item?.visitors}
        />
      </div>
      {open === 'conflict' && item && (
        <ConflictDialog draft={draft} name={item.name} theirs={item} onClose={() => setOpen(undefined)} />
      )}
      {open === 'remove' && item && (
        <RemoveRootDialog
          item={item}
          onClose={() => setOpen(undefined)}
          onDone={() => {
            leaving.letGo();
            onBack();
          }}
        />
      )}
      {leaving.asks && <LeaveDialog onStay={leaving.stay} onLeave={leaving.leave} />}
      {question}
    </DocumentScreen>
  );
}

/** Entries one by one, and each other field. */
function countChanges(
  { savedValue, value, isChanged }: Pick<ReturnType<typeof useDraft>, 'savedValue' | 'value' | 'isChanged'>,
  entries: readonly RoleMapEntry[],
  saved: readonly RoleMapEntry[],
): number {
  const inMap = entries.filter((entry) => isNewOrChanged(entry, saved)).length + goneEntries(entries, saved).length;
  const others = changedFields(savedValue, value).filter((field) => field !== MAP_PATH.join('.')).length;
  return isChanged ? Math.max(1, inMap + others) : 0;
}
