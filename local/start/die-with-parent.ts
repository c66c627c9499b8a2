// Preloaded into every process that `npm start` forks: when the parent is gone, even by kill -9,
// its children do not stay behind on its ports. What they hold survives that by design.
const endsWithinMs = 5_000;

process.once("disconnect", () => {
  setTimeout(() => process.exit(1), endsWithinMs).unref();
  process.kill(process.pid, "SIGTERM");
});
