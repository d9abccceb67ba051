-- Runs beside servers of the version before: yes
--
-- The statement that stores incoming messages calls it when one of them was stored before and removed since: nothing is stored, and
-- the server looks for copies first. It is volatile, so that it is called only then.
create function refuse_removed_copy() returns bigint language plpgsql volatile as $$
begin
  raise exception 'a copy of a message that was removed' using errcode = 'PB001';
end
$$;
