/** Why the gateway did not take the form, brought into sight: the form may be longer than the window. */
import { Notice } from '@gatehouse/design/notice';

export function Refused({ message }: { message: string }) {
  return (
    <div ref={(place) => place?.scrollIntoView?.({ block: 'nearest' })}>
      <Notice tone="bad">{message}</Notice>
    </div>
  );
}
