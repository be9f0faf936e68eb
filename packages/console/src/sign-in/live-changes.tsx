/** Keeps what is on the screen fresh, and leaves when the sign-in was ended elsewhere. */
import type { EndReason } from '@gatehouse/contract/auth/sign-ins';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useWorld } from '../world/world.tsx';
import { listenForChanges } from './changes.ts';
import { readToken } from './token.ts';

export function LiveChanges({ onEnded }: { onEnded: (why: EndReason) => void }) {
  const { openSocket, storage } = useWorld();
  const queries = useQueryClient();
  useEffect(
    () =>
      listenForChanges({
        openSocket,
        token: () => readToken(storage)?.accessToken,
        onFrame(frame) {
          if (frame.type === 'ended') onEnded(frame.reason);
          if (frame.type === 'alerts') void queries.invalidateQueries({ queryKey: ['alerts'] });
          if (frame.type === 'user') {
            // Whatever this user may do or see of users, roles and locks may be another now.
            for (const key of ['user', 'account', 'access']) void queries.invalidateQueries({ queryKey: [key] });
          }
        },
      }),
    [openSocket, storage, queries, onEnded],
  );
  return null;
}
