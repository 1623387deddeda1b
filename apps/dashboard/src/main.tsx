import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { onSignedOut, queries } from './queries.ts';
import { isPublicPath, router } from './router.tsx';
import { Toaster } from './ui/toaster.tsx';
import './styles.css';

onSignedOut(() => {
  const { pathname, href } = router.state.location;
  if (isPublicPath(pathname)) return;
  void router.navigate({ to: '/sign-in', search: { returnTo: href } }).then(() => queries.clear());
});

createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
      <Toaster />
    </QueryClientProvider>
  </StrictMode>,
);
