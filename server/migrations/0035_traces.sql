-- Runs beside servers of the version before: yes
--
-- The trace that a request of the API was part of (W3C `traceparent`), kept with the answer that the request causes and
-- with the event that is delivered, so that the receiver's part joins the same trace. Null: the request named none.
alter table turns add column trace text;
alter table deliveries add column trace text;
