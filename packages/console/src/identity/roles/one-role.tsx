/** One role of the list in its editor, with what else can be done to it. */
import { IconButton } from '@gatehouse/design/icon-button';
import { Menu, MenuItem, MenuSeparator } from '@gatehouse/design/menu';
import Copy from 'lucide-react/icons/copy';
import Ellipsis from 'lucide-react/icons/ellipsis';
import Lock from 'lucide-react/icons/lock';
import Trash2 from 'lucide-react/icons/trash-2';
import { useEffect, useState } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { NEW_ROLE } from '../../shared/access-questions/reaching-role.ts';
import { setInYaml } from '../../shared/document-editor/edit-yaml.ts';
import { forgetHandedDraft, handedDraft } from '../../shared/document-editor/handed-draft.ts';
import { LockDialog } from '../../shared/locking/lock-dialog.tsx';
import type { ListActions, ListAddress } from '../../shared/resource-list/list-search-params.ts';
import { DeleteRoleDialog } from './delete-role-dialog.tsx';
import { RoleEditor } from './role-editor.tsx';
import type { RoleRow } from './roles-list.tsx';

interface OneRoleProps {
  row: RoleRow | undefined;
  /** The text of the role that a new one is made after. */
  copyOf: string | undefined;
  address: ListAddress;
  actions: ListActions;
}

export function OneRole({ row, copyOf, address, actions }: OneRoleProps) {
  const [startText] = useState(() => (copyOf === undefined ? NEW_ROLE : setInYaml(copyOf, ['metadata', 'name'], '')));
  const [handed] = useState(() => handedDraft(row?.name ?? ''));
  useEffect(() => forgetHandedDraft(), []);
  const [doing, setDoing] = useState<'lock' | 'delete'>();
  const close = () => setDoing(undefined);
  const back = () => actions.leave();
  return (
    <>
      <RoleEditor
        role={row}
        startText={startText}
        handed={handed}
        holders={row?.holders?.length}
        pane={address.tab}
        onPane={(pane) => actions.showTab(pane === 'form' ? undefined : pane)}
        onBack={back}
        onSaved={(name) => !row && actions.openInstead(name)}
        actions={row && <RoleMenu name={row.name} onDo={setDoing} onCopy={() => actions.start('new')} />}
      />
      {row && doing === 'delete' && (
        <DeleteRoleDialog name={row.name} holders={row.holders} onClose={close} onDone={back} />
      )}
      {row && doing === 'lock' && <LockDialog target={{ kind: 'role', name: row.name }} onClose={close} />}
    </>
  );
}

interface RoleMenuProps {
  name: string;
  onDo: (doing: 'lock' | 'delete') => void;
  onCopy: () => void;
}

function RoleMenu({ name, onDo, onCopy }: RoleMenuProps) {
  const t = useTranslate();
  const { userAcl } = useUser();
  const { create, remove } = userAcl.roles;
  const mayLock = userAcl.locks.create;
  if (!create && !remove && !mayLock) return null;
  return (
    <Menu trigger={<IconButton icon={Ellipsis} label={t('roles.actions', { role: name })} />}>
      {create && (
        <MenuItem icon={Copy} onSelect={onCopy}>
          {t('roles.copy')}
        </MenuItem>
      )}
      {mayLock && (
        <MenuItem icon={Lock} onSelect={() => onDo('lock')}>
          {t('roles.lock')}
        </MenuItem>
      )}
      {remove && (
        <>
          <MenuSeparator />
          <MenuItem icon={Trash2} tone="danger" onSelect={() => onDo('delete')}>
            {t('roles.delete')}
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
