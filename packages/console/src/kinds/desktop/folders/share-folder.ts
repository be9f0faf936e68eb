/** The folder that this page shares with its desktop: announced again after a lost line, answered for, and ended. */
import type { DesktopReply } from '@gatehouse/contract/sessions/desktop-frames';
import { directoryAnnounce, readFromGateway, SHARED_DIRECTORY } from '@gatehouse/contract/sessions/directory-messages';
import { PickedFolder } from './picked-folder.ts';

/** `asking`: the desktop has not taken it yet. */
export interface FolderView {
  is: 'asking' | 'on' | 'off' | 'refused';
  name: string;
  why?: string;
}

export interface FolderDeps {
  send(bytes: Uint8Array): void;
  unshare(): void;
  change(folder: FolderView | undefined): void;
}

export interface FolderSharing {
  share(root: FileSystemDirectoryHandle): void;
  end(): void;
  /** The line is there, again. */
  lineOpened(): void;
  hear(bytes: Uint8Array): void;
  hearTold(told: Extract<DesktopReply, { type: 'shared' }>): void;
}

export function createFolderSharing(deps: FolderDeps): FolderSharing {
  let picked: PickedFolder | undefined;

  const announce = () => {
    if (!picked) return;
    deps.change({ is: 'asking', name: picked.name });
    deps.send(directoryAnnounce(SHARED_DIRECTORY, picked.name));
  };
  const drop = () => {
    void picked?.close();
    picked = undefined;
  };

  return {
    share(root) {
      drop();
      picked = new PickedFolder(root);
      announce();
    },
    end() {
      if (picked) deps.unshare();
      drop();
      deps.change(undefined);
    },
    lineOpened: announce,
    hear(bytes) {
      const said = readFromGateway(bytes);
      const mine = picked;
      if (said.type !== 'request' || !mine || said.request.directory !== SHARED_DIRECTORY) return;
      void mine.answer(said.request).then((answer) => mine === picked && deps.send(answer));
    },
    hearTold({ is, name, why }) {
      // Of one that was ended here meanwhile.
      if (!picked) return;
      if (is !== 'on') drop();
      deps.change({ is, name, ...(why === undefined ? {} : { why }) });
    },
  };
}
