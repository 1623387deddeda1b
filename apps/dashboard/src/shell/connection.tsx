import { WifiOff } from 'lucide-react';
import { useSyncExternalStore } from 'react';

function subscribe(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}

/** Says that the browser is offline, while it is. */
export function Connection() {
  const online = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <div role="status">
      {!online && (
        <p className="flex items-center gap-2 border-b bg-warning-soft px-4 py-2 text-sm md:px-10">
          <WifiOff aria-hidden="true" className="size-4 flex-none text-warning" />
          You are offline. This page may be out of date. It updates when the connection is back.
        </p>
      )}
    </div>
  );
}
