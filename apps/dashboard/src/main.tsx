import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { forget, onSignedOut, queries } from './queries.ts';
import { router } from './router.tsx';
import { sessionQuery } from './session.tsx';
import { Toaster } from './ui/toaster.tsx';
import './styles.css';

onSignedOut(() => {
  // The router redirects users who were never signed in.
  if (queries.getQueryData(sessionQuery.queryKey) === undefined) return;
  const { href } = router.state.location;
  void router.navigate({ to: '/sign-in', search: { returnTo: href } }).then(forget);
});

createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
      <Toaster />
    </QueryClientProvider>
  </StrictMode>,
);
